// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Creates an element. A function as attribute becomes an event listener. A boolean sets or omits the
 * attribute. All other attributes are set unchanged. Children are elements or texts. A text is never
 * read as HTML.
 */
export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") {
      node.addEventListener(name, value);
    } else if (value === true) {
      node.setAttribute(name, "");
    } else if (value !== false && value !== undefined && value !== null) {
      node.setAttribute(name, value);
    }
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}
