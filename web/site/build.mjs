// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// node build.mjs builds the site in dist, with the playground. It needs Go, Node and git. The first run
// installs the packages of package-lock.json. With --no-playground, it uses the playground that exists.

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { install, licenses, run, writeStyle } from "../common/build.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const root = join(here, "../..");
const dist = join(here, "dist");
const playground = join(here, "../playground");
const repository = "https://github.com/dovetail-ssa/dovetail";

install(here);
if (!process.argv.includes("--no-playground")) {
  run("node", ["build.mjs"], playground);
}
const { escape, parse, pre, render, slug, target } = await import("./markdown.mjs");
const { bars, columnOf, tableAfter } = await import("./plots.mjs");
const { caseGroups } = await import("../playground/cases.mjs");
const { rules: examplesOf } = await import("../playground/examples.mjs");

const files = new Set(execFileSync("git", ["ls-files"], { cwd: root }).toString().trim().split("\n"));
const read = (path) => readFileSync(join(root, path), "utf8");

// ---- The specification

const spec = "spec/README.md";
const specText = read(spec);
/** The rules in the order of the specification, with their texts and the titles of their sections. */
const rules = specText.split(/^## /m).flatMap((part) =>
  [...part.matchAll(/^\*\*([A-Z]\d+)\.\*\* (.*?)(?=^\*\*[A-Z]\d+\.\*\*|^##|$(?![^]))/gms)].map(([, id, text]) => ({ id, text, section: part.split("\n")[0] })));
const ruleIds = rules.map((r) => r.id);
const examples = examplesOf(specText);
const groups = caseGroups();
const stories = readdirSync(join(root, "spec/cases/testdata/http")).map((file) => JSON.parse(read(`spec/cases/testdata/http/${file}`)));
const ruleFile = (id) => `spec/rules/${id}.html`;

// ---- The pages

/** The pages by file. Each has a title, a section of the site, and the parsed documents in its text. */
const pages = [];
const htmlOf = (path) => path.replace(/(^|\/)README\.md$/, "$1index.md").replace(/\.md$/, ".html");

/** Adds a page with the text of a document, or with a part of it. */
function addDocument(path, { file = htmlOf(path), section, text = read(path), after = "", title }) {
  const doc = parse(text, path, path.startsWith("spec/") ? ruleIds : []);
  pages.push({ file, section, title: title ?? doc.env.headings[0].title, docs: [doc], after });
}

const readme = read("README.md").split(/^(?=## )/m);
const startsWith = (part, titles) => titles.some((t) => part.startsWith(`## ${t}\n`));
const onStart = (part) => part.startsWith("# ") || startsWith(part, ["Install"]);
addDocument("README.md", { file: "index.html", section: "Start", title: "Dovetail", text: readme.filter(onStart).join("") });
addDocument("README.md", { file: "overview.html", section: "Overview", text: `# Overview\n\n${readme.filter((part) => !onStart(part)).join("")}` });
for (const path of [...files].filter((f) => /^docs\/[^/]+\.md$/.test(f)).sort()) {
  addDocument(path, { section: "Documents" });
}
addDocument("DIFFERENCES.md", { section: "Documents" });
addDocument("CHANGELOG.md", { section: "Documents" });
addDocument(spec, { section: "Rules" });
for (const { id, text, section } of rules) {
  addDocument(spec, { file: ruleFile(id), section: "Rules", title: `Rule ${id}`, text: `# Rule ${id}\n\n${text}\n\nThis rule is in the section [${section}](#${slug(section)}).\n`, after: casesOf(id) + neighbors(id) });
}
addResults();
for (const path of ["spec/IMPLEMENTATIONS.md", "test/bench/RESULTS.md", "test/cluster/RESULTS.md", "test/crd/RESULTS.md", "test/generate/RESULTS.md", "test/mutation/RESULTS.md"]) {
  addDocument(path, { section: "Results" });
}

// ---- Links

/** Returns the address to which a link in a document leads. from is the file of the page with the link. */
function link(href, from, path) {
  if (/^[a-z]+:/.test(href)) {
    return href;
  }
  const { file, id } = target(href, path);
  const to = (page, anchor) => (page === from ? "" : posix.relative(posix.dirname(from), page)) + (anchor && `#${anchor}`) || "#main";
  if (file === spec && ruleIds.includes(id)) {
    return to(ruleFile(id), "");
  }
  const candidates = pages.filter((p) => p.docs.some((d) => d.env?.path === file) && !p.file.startsWith("spec/rules/"));
  if (candidates.length > 0) {
    const page = id ? candidates.find((p) => p.docs.some((d) => d.env?.ids.has(id))) : candidates.find((p) => p.file === htmlOf(file)) ?? candidates[0];
    if (!page) {
      throw new Error(`${path}: nothing has the anchor of ${href}`);
    }
    return to(page.file, id);
  }
  if (files.has(file)) {
    return `${repository}/blob/main/${file}${id && `#${id}`}`;
  }
  if ([...files].some((f) => f.startsWith(`${file.replace(/\/$/, "")}/`))) {
    return `${repository}/tree/main/${file.replace(/\/$/, "")}`;
  }
  throw new Error(`${path}: ${href} does not exist`);
}

function toPlayground(from, id) {
  return `${posix.relative(posix.dirname(from), "playground/index.html")}#${id}`;
}

/** Renders a code block. Under an example of a rule is a link to the playground. */
function code(from) {
  return (info, text, env) => {
    const rule = info.match(/^yaml ([A-Z]\d+)$/)?.[1];
    if (!rule) {
      return pre(text);
    }
    env.counts[rule] = (env.counts[rule] ?? 0) + 1;
    const example = examples.filter((e) => e.rule === rule)[env.counts[rule] - 1];
    return pre(text) + (example.why
      ? `<p class="run">The playground cannot show this example, because ${escape(example.why)}</p>\n`
      : `<p class="run"><a href="${toPlayground(from, example.id)}">Open this example in the playground</a></p>\n`);
  };
}

// ---- The cases of a rule

/** Returns a list of the cases that test a rule. */
function casesOf(id) {
  const from = ruleFile(id);
  const item = (c) => `<li>${c.state ? `<a href="${toPlayground(from, c.id)}">${c.id}</a>` : c.id}: ${escape(c.about)}</li>`;
  const list = (cases) => `<ul>\n${cases.map(item).join("\n")}\n</ul>\n`;
  const found = groups.map((g) => ({ ...g, cases: g.cases.filter((c) => c.rules.includes(id)) })).filter((g) => g.cases.length > 0);
  const total = found.reduce((n, g) => n + g.cases.length, 0);
  const open = total <= 50 ? " open" : "";
  const details = found.map((g) => {
    const hidden = g.cases.filter((c) => c.why);
    const shown = g.cases.filter((c) => c.state);
    return `<details${open}><summary>${g.name}: ${count(g.cases.length, "case")}</summary>\n${shown.length > 0 ? list(shown) : ""}${[...new Set(hidden.map((c) => c.why))].map((why) =>
      `<p>The playground cannot show these cases, because ${escape(why)}</p>\n${list(hidden.filter((c) => c.why === why))}`).join("")}</details>\n`;
  });
  const told = stories.filter((s) => s.rules?.includes(id));
  return (total === 0 ? "" : `<h2 id="cases">Cases</h2>
<p>The cases of the specification that test this rule. A link opens the case in the playground.</p>
${details.join("")}`) + (told.length === 0 ? "" : `<h2 id="stories">Stories</h2>
<p>The stories are series of requests to a server. The playground cannot show them, because it has no server.</p>
<ul>
${told.map((s) => `<li><a href="${repository}/blob/main/spec/cases/testdata/http/${s.name}.json">${s.name}</a>: ${escape(s.about)}</li>`).join("\n")}
</ul>
`);
}

function count(n, noun) {
  return `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;
}

/** Returns links to the previous and the next rule. */
function neighbors(id) {
  const i = ruleIds.indexOf(id);
  const to = (other, text) => (other ? `<a href="${other}.html">${text} ${other}</a>` : "<span></span>");
  return `<nav class="neighbors" aria-label="Other rules">${to(ruleIds[i - 1], "Previous rule:")} <a href="../index.html">All rules</a> ${to(ruleIds[i + 1], "Next rule:")}</nav>\n`;
}

// ---- Results

function addResults() {
  const bench = read("test/bench/RESULTS.md");
  const speed = tableAfter(bench, "In this table, each row");
  const operations = columnOf(speed, "operation");
  const benchmarks = columnOf(speed, "benchmark");
  const log = (value) => Math.log(value / 0.5) / Math.log(400 / 0.5);
  const ticks = [1, 2, 5, 10, 20, 50, 100, 200].map((value) => ({ value, label: `${value}x` }));
  // column is the head of a column with ratios. A bar has the name of its benchmark, and the bar of all operations has the name of its row.
  const speedPlot = (id, column, title, text) => bars({
    id, title, ticks, position: log,
    text: `${text} The end of a bar is the mean ratio of all objects, and the line in the bar is the smallest ratio. The axis is logarithmic. The table above has the numbers.`,
    rows: columnOf(speed, column).map((cell, i) => ({ ...ratiosIn(cell, column), name: benchmarks[i].replaceAll("`", "") || operations[i] }))
      .filter((r) => r.value !== undefined).map((r) => ({ ...r, label: `${r.value}x` })),
  });
  const conformance = tableAfter(specText, "This table shows how many cases each implementation passes");
  const levels = conformance.head.slice(1).map((name) => {
    const level = Number(name.match(/level (\d)/)?.[1]);
    if (!level) throw new Error(`column "${name}" does not name its level`);
    // An implementation has one of two profiles. Both profiles have the same number of cases.
    return { name: `level ${level}`, total: groups.flatMap((g) => g.cases).filter((c) => c.level === level && c.profile !== "v7").length };
  });
  const conformancePlot = bars({
    id: "levels", title: "Cases that each implementation passes",
    text: "There is a bar for each implementation and level. The table above has the numbers of cases.",
    position: (value) => value / 100, ticks: [0, 25, 50, 75, 100].map((value) => ({ value, label: `${value}%` })),
    rows: conformance.rows.flatMap(([name, ...cells]) => cells.map((cell, i) => ({ cell, level: levels[i] })).filter(({ cell }) => cell !== "").map(({ cell, level }) => {
      const value = cell === "all" ? 100 : (100 * numberIn(cell)) / level.total;
      return { name: `${name.replace(/^the field manager of |, with .*$/g, "")}, ${level.name}`, value, label: `${Math.floor(value)}%` };
    })),
  });
  const part = (text, path) => parse(text, path, path === spec ? ruleIds : []);
  pages.push({
    file: "results.html", section: "Results", title: "Results", after: "",
    docs: [
      part(`# Results\n\n## Conformance\n\nThe [specification](README.md) has some 3,600 test cases in levels. This table shows how many cases each implementation passes.\n\n${conformance.source}\n`, spec),
      conformancePlot,
      part(`These pages have more results:

* [Differences of other implementations](../spec/IMPLEMENTATIONS.md)
* [Results on real API servers](../test/cluster/RESULTS.md)
* [Upgrades of CRDs](../test/crd/RESULTS.md)
* [dovetail-gen compared with controller-gen](../test/generate/RESULTS.md)
* [Mutation tests](../test/mutation/RESULTS.md)
`, spec),
      part(`## Speed\n\n${between(bench, "The numbers in the tables", "## Operations below")}\n[The full results](RESULTS.md) have the numbers of each object.\n`, "test/bench/RESULTS.md"),
      speedPlot("cpu", "CPU time: structured-merge-diff ÷ Dovetail, mean (smallest)", "CPU time of structured-merge-diff divided by that of Dovetail", "There is a bar for each operation whose CPU time was measured."),
      speedPlot("instructions", "instructions: structured-merge-diff ÷ Dovetail, mean (smallest)", "Instructions of structured-merge-diff divided by those of Dovetail", "There is a bar for each operation."),
      speedPlot("bytes", "allocated memory: structured-merge-diff ÷ Dovetail, mean (smallest)", "Bytes that structured-merge-diff allocates, divided by those of Dovetail", "There is a bar for each operation whose allocated memory was measured."),
    ],
  });
}

/** Returns the part of a text that starts with the text from and ends before the text to. */
function between(text, from, to) {
  const start = text.indexOf(from);
  const end = text.indexOf(to, start);
  if (start < 0 || end < 0) throw new Error(`no part from "${from}" to "${to}"`);
  return text.slice(start, end);
}

/** Returns the number at the beginning of a text. */
function numberIn(text) {
  const found = text.match(/^[\d,]+/);
  if (!found) throw new Error(`"${text}" does not begin with a number`);
  return Number(found[0].replaceAll(",", ""));
}

/** Returns the mean and the smallest ratio in a cell, as value and mark. A dash has neither. */
function ratiosIn(cell, column) {
  if (cell === "-") return {};
  const found = cell.match(/^([\d.]+) \(([\d.]+)\)$/);
  if (!found) throw new Error(`column "${column}": expected a mean and the smallest ratio, such as "4.84 (3.55)", got "${cell}"`);
  return { value: Number(found[1]), mark: Number(found[2]) };
}

// ---- Output

const sections = [["Start", "index.html"], ["Overview", "overview.html"], ["Documents", "docs/index.html"], ["Rules", "spec/index.html"], ["Results", "results.html"], ["Playground", "playground/index.html"]];

function html(page) {
  const up = (file) => posix.relative(posix.dirname(page.file), file);
  const body = page.docs.map((doc) => (typeof doc === "string" ? doc : render(doc, { link: (href, env) => link(href, page.file, env.path), rule: (id) => (page.file === ruleFile(id) ? "" : up(ruleFile(id))), code: code(page.file) }))).join("");
  const headings = page.docs.flatMap((doc) => (doc.env?.headings ?? [])).filter((h) => h.level === 2);
  const contents = headings.length < 4 ? "" : `<nav class="contents" aria-label="On this page"><ul>\n${headings.map((h) => `<li><a href="#${h.id}">${escape(h.title)}</a></li>`).join("\n")}\n</ul></nav>\n`;
  const [, title, rest] = body.match(/^(<h1.*?<\/h1>\n)?(.*)$/s);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'">
<title>${escape(page.title)}${page.title === "Dovetail" ? "" : " - Dovetail"}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${up("style.css")}">
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header>
<nav aria-label="Site"><ul>
${sections.map(([name, file]) => `<li><a href="${up(file)}"${file === page.file ? ' aria-current="page"' : name === page.section ? ' aria-current="true"' : ""}>${name}</a></li>`).join("\n")}
<li><a href="${repository}">Source</a></li>
</ul></nav>
</header>
<main id="main" tabindex="-1">
${title ?? ""}${contents}${rest}${page.after}</main>
<footer><p><a href="${up("LICENSES.txt")}">Licenses</a></p></footer>
</body>
</html>
`;
}

rmSync(dist, { recursive: true, force: true });
for (const page of pages) {
  mkdirSync(dirname(join(dist, page.file)), { recursive: true });
  writeFileSync(join(dist, page.file), html(page));
}
cpSync(join(playground, "dist"), join(dist, "playground"), { recursive: true });
writeStyle(here, join(dist, "style.css"));
writeFileSync(join(dist, "LICENSES.txt"), `This site contains Dovetail (Apache-2.0). The licenses of the playground are in playground/LICENSES.txt. These packages
converted the documents to HTML:

${licenses(here, readdirSync(join(here, "node_modules")).filter((name) => !name.startsWith(".")))}`);
