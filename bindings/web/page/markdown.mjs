/** Markdown of `docs/spec` as HTML: headings, paragraphs, lists, tables, code. Table rows that describe a field are marked. */

const escape = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");

function inline(text) {
  const kept = [];
  const keep = (html) => `\u0000${kept.push(html) - 1}\u0000`;
  let out = text.replace(/(`+)(.+?)\1/g, (_, _ticks, code) => keep(`<code>${escape(code.trim() === "" ? code : code.trim())}</code>`));
  out = out.replace(/<(https?:[^>\s]+)>/g, (_, url) => keep(link(url, escape(url))));
  out = escape(out);
  out = out.replace(/\[([^\]]+)\]\(([^)\s]+)\)/g, (_, label, url) => (/^https?:/.test(url) ? link(url, label) : label));
  out = out.replace(/\*\*(.+?)\*\*/g, "<strong>$1</strong>").replace(/(^|[\s(])[*_]([^*_\s][^*_]*)[*_](?=[\s).,;:]|$)/g, "$1<em>$2</em>");
  while (/\u0000\d+\u0000/.test(out)) out = out.replace(/\u0000(\d+)\u0000/g, (_, at) => kept[Number(at)]);
  return out;
}

const link = (url, label) => `<a href="${escape(url)}" target="_blank" rel="noopener noreferrer">${label}</a>`;

const cells = (line) =>
  line
    .trim()
    .replace(/^\||\|$/g, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replace(/\\\|/g, "|"));

function table(lines) {
  const [head, , ...rows] = lines;
  const names = cells(head);
  const isOfFields = /^fields?$/i.test(names[0] ?? "");
  const row = (line) => {
    const parts = cells(line);
    const name = isOfFields ? /^`?([a-z][a-z0-9_]*)`?/.exec(parts[0] ?? "")?.[1] : undefined;
    const field = name === undefined ? "" : ` data-field="${name}" tabindex="0"`;
    return `<tr${field}>${parts.map((cell) => `<td>${inline(cell)}</td>`).join("")}</tr>`;
  };
  const header = names.map((name) => `<th scope="col">${inline(name) || "<span class=\"sr-only\">empty</span>"}</th>`).join("");
  return `<div class="scroll" tabindex="0" role="group" aria-label="Table"><table><thead><tr>${header}</tr></thead><tbody>${rows.map(row).join("")}</tbody></table></div>`;
}

export function toHtml(markdown) {
  const lines = markdown.split("\n");
  const out = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at];
    if (/^```/.test(line)) {
      const end = lines.findIndex((other, place) => place > at && /^```/.test(other));
      out.push(`<pre tabindex="0"><code>${escape(lines.slice(at + 1, end < 0 ? undefined : end).join("\n"))}</code></pre>`);
      at = end < 0 ? lines.length : end + 1;
    } else if (/^#+ /.test(line)) {
      // the page has a heading above these
      const level = Math.min(4, (/^#+/.exec(line)?.[0].length ?? 1) + 1);
      out.push(`<h${level}>${inline(line.replace(/^#+ /, ""))}</h${level}>`);
      at += 1;
    } else if (/^\|/.test(line)) {
      const start = at;
      while (at < lines.length && /^\|/.test(lines[at])) at += 1;
      out.push(table(lines.slice(start, at)));
    } else if (/^\s*([-*]|\d+\.) /.test(line)) {
      const items = [];
      while (at < lines.length && lines[at].trim() !== "" && !/^[#|`]/.test(lines[at])) {
        if (/^\s*([-*]|\d+\.) /.test(lines[at])) items.push(lines[at].replace(/^\s*([-*]|\d+\.) /, ""));
        else items[items.length - 1] += ` ${lines[at].trim()}`;
        at += 1;
      }
      out.push(`<ul>${items.map((item) => `<li>${inline(item)}</li>`).join("")}</ul>`);
    } else if (line.trim() === "") {
      at += 1;
    } else {
      const start = at;
      while (at < lines.length && lines[at].trim() !== "" && !/^(#+ |\||```|\s*[-*] )/.test(lines[at])) at += 1;
      if (at === start) at += 1;
      out.push(`<p>${inline(lines.slice(start, at).join(" "))}</p>`);
    }
  }
  return out.join("\n");
}
