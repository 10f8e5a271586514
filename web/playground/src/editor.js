// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

import { yaml } from "@codemirror/lang-yaml";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { basicSetup } from "codemirror";

// These colors are in style.css, once for a light and once for a dark page.
const colors = syntaxHighlighting(HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--m0)" },
  { tag: [tags.string, tags.number, tags.bool], color: "var(--text)" },
  { tag: [tags.comment, tags.meta], color: "var(--faint)" },
]));

/** Creates an editor for YAML in parent. It calls changed with the text after each change by the user. */
export function createEditor(parent, { label, text, changed }) {
  let quiet = false;
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        EditorView.cspNonce.of("editor"),
        basicSetup,
        yaml(),
        colors,
        EditorView.contentAttributes.of({ "aria-label": label }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged && !quiet) {
            changed(update.state.doc.toString());
          }
        }),
      ],
    }),
  });
  return {
    focus: () => view.focus(),
    /** Replaces the text. */
    set(text) {
      if (text !== view.state.doc.toString()) {
        quiet = true;
        view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
        quiet = false;
      }
    },
    /** Marks the lines that have problems. */
    mark(problems) {
      const doc = view.state.doc;
      const diagnostics = problems.filter((p) => p.line > 0).map((p) => {
        const line = doc.line(Math.min(p.line, doc.lines));
        const from = Math.min(line.from + Math.max((p.column ?? 1) - 1, 0), line.to);
        return { from: from === line.to ? line.from : from, to: line.to, severity: p.severity, message: p.text };
      });
      view.dispatch(setDiagnostics(view.state, diagnostics.sort((a, b) => a.from - b.from)));
    },
    destroy: () => view.destroy(),
  };
}
