// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// This file converts the Markdown documents of the repository to HTML.

import { posix } from "node:path";
import MarkdownIt from "markdown-it";

const md = new MarkdownIt({ linkify: true });
md.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
export const escape = md.utils.escapeHtml;

// GitHub shows no HTML comments either.
md.block.ruler.before("html_block", "comment", (state, line, _, silent) => {
  const text = state.getLines(line, line + 1, state.blkIndent, false);
  if (!/^<!--.*-->$/.test(text)) {
    return false;
  }
  state.line = silent ? state.line : line + 1;
  return true;
});

/**
 * Parses a document. path is its path in the repository, and rules are the numbers of the rules to which
 * the page links. The result has the ids of all headings and rules.
 */
export function parse(text, path, rules = []) {
  const env = { path, rules, ids: new Set(), headings: [] };
  const tokens = md.parse(text, env);
  tokens.forEach((token, i) => {
    const next = tokens[i + 1];
    if (token.type === "heading_open") {
      const title = next.children.map((t) => t.content).join("");
      const id = unique(env.ids, slug(title));
      token.attrSet("id", id);
      env.headings.push({ level: Number(token.tag.slice(1)), title, id });
    } else if (token.type === "paragraph_open") {
      const rule = next.content.match(/^\*\*([A-Z]\d+)\.\*\*/)?.[1];
      if (rules.includes(rule)) {
        token.attrSet("id", rule);
        env.ids.add(rule);
      }
    } else if (token.type === "th_open" || token.type === "td_open") {
      // The Content-Security-Policy forbids style attributes.
      const style = token.attrGet("style");
      token.attrs = style?.endsWith("right") ? [["class", "right"]] : null;
      if (token.type === "th_open") {
        token.attrPush(["scope", "col"]);
      }
    }
  });
  return { tokens, env };
}

/**
 * Renders a document. link converts the address of a link, rule returns the address of a rule, or "" for the rule
 * of the page. code renders a code block.
 */
export function render({ tokens, env }, { link, rule, code }) {
  return md.renderer.render(tokens, md.options, { ...env, link, rule, code, counts: {} });
}

/** Returns the id that GitHub gives to a heading. */
export function slug(title) {
  return title.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, "").trim().replace(/\s/g, "-");
}

function unique(ids, id) {
  let name = id;
  for (let n = 1; ids.has(name); n++) {
    name = `${id}-${n}`;
  }
  ids.add(name);
  return name;
}

const { rules } = md.renderer;
rules.fence = (tokens, i, _, env) => env.code(tokens[i].info.trim(), tokens[i].content, env);
rules.code_block = (tokens, i, _, env) => env.code("", tokens[i].content, env);
// Wide tables and code scroll in their own boxes. With tabindex, the keyboard can scroll them, too.
rules.table_open = () => '<div class="scroll" tabindex="0" role="group" aria-label="Table">\n<table>\n';
rules.table_close = () => "</table>\n</div>\n";
rules.link_open = (tokens, i, options, env, self) => {
  tokens[i].attrSet("href", env.link(tokens[i].attrGet("href"), env));
  env.inLink = true;
  return self.renderToken(tokens, i, options);
};
rules.link_close = (tokens, i, options, env, self) => {
  env.inLink = false;
  return self.renderToken(tokens, i, options);
};
// The number of a rule in a text is a link to the rule.
rules.text = (tokens, i, _, env) => {
  const text = escape(tokens[i].content);
  return env.inLink || env.rules.length === 0 ? text : text.replace(/\b[A-Z]\d+\b/g, (name) =>
    env.rules.includes(name) && env.rule(name) ? `<a href="${env.rule(name)}">${name}</a>` : name);
};

/** Returns a code block. */
export const pre = (text) => `<pre tabindex="0"><code>${escape(text)}</code></pre>\n`;

/** Returns the path in the repository to which a document's link leads, with the part after the #. */
export function target(href, path) {
  const [file, id = ""] = href.split("#");
  return { file: file === "" ? path : posix.join(posix.dirname(path), decodeURI(file)), id: decodeURIComponent(id) };
}
