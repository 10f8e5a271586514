// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// This file draws bar charts as SVG. The style sheet has their colors.

import { escape } from "./markdown.mjs";

const [width, left, right, row, top] = [640, 230, 60, 22, 24];

/**
 * Draws a bar for each row. A row has a name, a value, a label for the value, and optionally a mark: a
 * second value, which the chart shows as a line. position converts a value to a number from 0 to 1. ticks
 * are the values on the axis.
 */
export function bars({ id, title, text, rows, position, ticks }) {
  const x = (value) => (left + Math.min(Math.max(position(value), 0), 1) * (width - left - right)).toFixed(1);
  const height = top + rows.length * row + 8;
  const parts = ticks.map(({ value, label }) =>
    `<line class="tick" x1="${x(value)}" x2="${x(value)}" y1="${top - 4}" y2="${height - 4}"/><text class="axis" x="${x(value)}" y="14" text-anchor="middle">${label}</text>`);
  rows.forEach(({ name, value, label, mark }, i) => {
    const y = top + i * row;
    const from = Math.min(x(ticks[0].value), x(value));
    parts.push(`<text x="${left - 8}" y="${y + 15}" text-anchor="end">${escape(name)}</text>`,
      `<rect class="bar" x="${from}" y="${y + 3}" width="${Math.abs(x(value) - x(ticks[0].value)).toFixed(1)}" height="${row - 6}"/>`,
      `<text x="${Number(x(value)) + 6}" y="${y + 15}">${escape(label)}</text>`);
    if (mark !== undefined) {
      parts.push(`<line class="mark" x1="${x(mark)}" x2="${x(mark)}" y1="${y + 1}" y2="${y + row - 1}"/>`);
    }
  });
  return `<figure><div class="scroll" tabindex="0" role="group" aria-label="${escape(title)}">
<svg viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="${id}-title ${id}-text">
<title id="${id}-title">${escape(title)}</title><desc id="${id}-text">${escape(text)}</desc>
${parts.join("\n")}
</svg></div>
<figcaption>${escape(title)}. ${escape(text)}</figcaption></figure>
`;
}

/** Returns the rows of the first table after a heading or text in a Markdown document, as arrays of cells. */
export function tableAfter(markdown, text) {
  const at = markdown.indexOf(text);
  const table = markdown.slice(at).match(/^\|.*(?:\n\|.*)+/m);
  if (at < 0 || !table) {
    throw new Error(`no table after ${text}`);
  }
  const [head, , ...rows] = table[0].split("\n").map((line) => line.replace(/^\||\|\s*$/g, "").split("|").map((cell) => cell.trim()));
  return { source: table[0], head, rows };
}

/** Returns the cells of a column of a table from tableAfter. name is the head of the column. */
export function columnOf({ head, rows }, name) {
  const column = head.indexOf(name);
  if (column < 0) {
    throw new Error(`no column "${name}"; the columns are ${head.map((h) => `"${h}"`).join(", ")}`);
  }
  return rows.map((cells) => {
    if (cells[column] === undefined) {
      throw new Error(`no cell in column "${name}" of the row ${cells[0]}`);
    }
    return cells[column];
  });
}
