/** Style of the reference, for phones too, light and dark. */
export const style = `
:root {
  color-scheme: light dark;
  --line: light-dark(#d4d7dc, #3a3f47);
  --soft: light-dark(#f4f5f7, #1c1f24);
  --accent: light-dark(#0b57a4, #8cc2ff)
}
* { box-sizing: border-box }
body {
  margin: 0 auto;
  padding: 1rem;
  max-width: 60rem;
  font: 1rem/1.5 system-ui, sans-serif;
  overflow-wrap: anywhere
}
h1, h2, h3, h4, h5 { line-height: 1.2; margin: 1.5rem 0 .5rem }
h1 small { font-weight: 400; font-size: 50% }
h2 { border-bottom: 2px solid var(--line); padding-bottom: .25rem; margin-top: 3rem }
h5 { font-size: .875rem }
p { margin: .5rem 0 }
a { color: var(--accent) }
nav a { display: inline-block; padding: .25rem .5rem .25rem 0 }
article {
  border: 1px solid var(--line);
  border-radius: .5rem;
  padding: 0 1rem 1rem;
  margin: 1rem 0
}
article h4 { margin-top: 1rem }
.call b { color: var(--accent) }
.call span {
  font-size: .875rem;
  border: 1px solid var(--line);
  border-radius: 1rem;
  padding: 0 .5rem
}
code, pre { font: .875rem/1.45 ui-monospace, monospace }
pre {
  background: var(--soft);
  padding: .75rem;
  margin: 0;
  overflow-x: auto;
  border-radius: .25rem;
  white-space: pre
}
.scroll { overflow-x: auto }
table { border-collapse: collapse; width: 100%; font-size: .875rem }
th, td {
  text-align: left;
  vertical-align: top;
  padding: .25rem .75rem .25rem 0;
  border-bottom: 1px solid var(--line)
}
th, td:nth-child(2), td:nth-child(3) { white-space: nowrap }
td:first-child { overflow-wrap: normal }
details, .answer { margin: .25rem 0 }
.answer { padding-left: 1.05rem }
summary { cursor: pointer }
:focus-visible { outline: 2px solid var(--accent) }
@media (max-width: 40rem) {
  article { padding: 0 .75rem .75rem }
  thead { display: none }
  table, tbody, tr, td { display: block }
  tr { border-bottom: 1px solid var(--line); padding: .25rem 0 }
  td:first-child { overflow-wrap: anywhere }
  td { display: inline; border: 0; padding: 0 .35rem 0 0 }
  td:nth-child(3)::before { content: 'required: ' }
  td:nth-child(4) { display: block }
}
`
