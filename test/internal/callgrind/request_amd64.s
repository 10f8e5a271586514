// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build valgrind

#include "textflag.h"

// func request(code uintptr, text *byte)
//
// Valgrind knows a request by four rotations that together do nothing, and an
// exchange of a register with itself. AX points to the request and its five
// arguments, DX holds the default answer.
TEXT ·request(SB), NOSPLIT, $48-16
	MOVQ code+0(FP), CX
	MOVQ CX, words-48(SP)
	MOVQ text+8(FP), CX
	MOVQ CX, words-40(SP)
	XORQ CX, CX
	MOVQ CX, words-32(SP)
	MOVQ CX, words-24(SP)
	MOVQ CX, words-16(SP)
	MOVQ CX, words-8(SP)
	LEAQ words-48(SP), AX
	XORQ DX, DX
	ROLQ $3, DI
	ROLQ $13, DI
	ROLQ $61, DI
	ROLQ $51, DI
	XCHGQ BX, BX
	RET
