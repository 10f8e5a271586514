// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"k8s.io/client-go/kubernetes"
)

// Usage is the resources that a kube-apiserver has used since its start.
type Usage struct {
	CPU   time.Duration // CPU time of all threads, in steps of 10 ms
	Alloc float64       // allocated bytes
}

// Usage reads the CPU time from the kernel, and the bytes from the server's own metrics.
func (s *Server) Usage(ctx context.Context) (u Usage, err error) {
	if u.CPU, err = cpu(s.api.cmd.Process.Pid); err != nil {
		return u, err
	}
	client, err := kubernetes.NewForConfig(s.Config())
	if err != nil {
		return u, err
	}
	text, err := client.RESTClient().Get().AbsPath("/metrics").DoRaw(ctx)
	if err != nil {
		return u, err
	}
	const name = "\ngo_memstats_alloc_bytes_total "
	_, rest, ok := strings.Cut(string(text), name)
	if !ok {
		return u, fmt.Errorf("no %s in the server's metrics", strings.TrimSpace(name))
	}
	number, _, _ := strings.Cut(rest, "\n")
	u.Alloc, err = strconv.ParseFloat(number, 64)
	return u, err
}

// cpu returns the CPU time of a process. It reads fields 14 (user) and 15 (system) of
// /proc/PID/stat. Their unit is 10 ms.
func cpu(pid int) (time.Duration, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	const user, system = 11, 12 // indexes of fields 14 and 15; the slice starts with field 3, the state
	if len(fields) <= system {
		return 0, fmt.Errorf("/proc/%d/stat: %d fields", pid, len(fields))
	}
	var ticks time.Duration
	for _, i := range []int{user, system} {
		n, err := strconv.Atoi(fields[i])
		if err != nil {
			return 0, err
		}
		ticks += time.Duration(n)
	}
	return ticks * 10 * time.Millisecond, nil
}
