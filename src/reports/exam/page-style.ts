/** Style of the page. A server that sends the page allows it by its hash. */
export const reportStyle = `
:root {
  color-scheme: light dark;
  --page: #fff; --text: #1a202c; --line: #d5dbe3; --soft: #f4f6f9; --quiet: #566274;
  --red: #b3261e; --amber: #8a5a00; --green: #1f6f43; --blue: #1d5fa8
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #12161c; --text: #e6eaf0; --line: #343c48; --soft: #1b212a; --quiet: #a4b0c0;
    --red: #ff9a8f; --amber: #f0c36d; --green: #7fd3a2; --blue: #8ebff0
  }
}
* { box-sizing: border-box }
body {
  font: 16px/1.55 system-ui, sans-serif; max-width: 64rem; margin: 0 auto;
  padding: 2rem 1rem 4rem; background: var(--page); color: var(--text)
}
h1 { font-size: 1.6rem; line-height: 1.3; margin: 0 0 .3rem; overflow-wrap: anywhere }
h2 { font-size: 1.25rem; margin: 2.2rem 0 .8rem }
h3 { margin: 0 0 .5rem; font-size: 1.1rem; line-height: 1.4 }
a { color: var(--blue) }
.quiet { color: var(--quiet); margin: .2rem 0 }
.headline { font-size: 1.15rem; font-weight: 600; margin: 1rem 0 }
.tiles { display: flex; flex-wrap: wrap; gap: .6rem; margin: 1rem 0; padding: 0; list-style: none }
.tiles li {
  flex: 1 1 7rem; padding: .6rem .9rem; border: 1px solid var(--line); border-radius: .5rem;
  background: var(--soft)
}
.tiles b { display: block; font-size: 1.7rem; line-height: 1.2 }
.tiles .FAILED b, .verdict.FAILED { color: var(--red) }
.tiles .WARNING b, .verdict.WARNING { color: var(--amber) }
.tiles .REVIEW b, .verdict.REVIEW { color: var(--blue) }
.tiles .PASSED b, .verdict.PASSED { color: var(--green) }
.tiles .SKIPPED b, .verdict.SKIPPED { color: var(--quiet) }
.tiles .none b { color: var(--quiet) }
.contents { padding: 0; list-style: none; margin: 0 0 1.4rem }
.contents li { padding: .15rem 0 }
article {
  border: 1px solid var(--line); border-left: .35rem solid var(--quiet); border-radius: .5rem;
  padding: 1rem 1.2rem; margin: 0 0 1.2rem
}
article.FAILED { border-left-color: var(--red) }
article.WARNING { border-left-color: var(--amber) }
article.REVIEW { border-left-color: var(--blue) }
article.PASSED { border-left-color: var(--green) }
.verdict { font-weight: 600; white-space: nowrap }
.fix { background: var(--soft); border-radius: .4rem; padding: .6rem .9rem; margin: .8rem 0 }
dl {
  display: grid; grid-template-columns: max-content 1fr; gap: .3rem 1rem; margin: .8rem 0
}
dt { color: var(--quiet) }
dd { margin: 0; overflow-wrap: anywhere }
pre {
  background: var(--soft); padding: .8rem; border-radius: .4rem; margin: .4rem 0;
  font-size: .82rem; white-space: pre-wrap; overflow-wrap: anywhere
}
details { margin: .3rem 0 }
summary { cursor: pointer; color: var(--blue) }
.wide { overflow-x: auto }
svg {
  display: block; width: 100%; min-width: 38rem; height: auto; font: 12px system-ui, sans-serif
}
svg text { text-anchor: middle; fill: var(--text) }
svg .head { font-weight: 600 }
svg .answer { fill: var(--quiet) }
svg .life { stroke: var(--line); stroke-dasharray: 3 4 }
svg path { fill: none; stroke: var(--text) }
svg .reply { stroke: var(--quiet); stroke-dasharray: 4 3 }
svg .shown text { font-weight: 600 }
.FAILED svg .shown .call { stroke: var(--red); stroke-width: 2 }
.FAILED svg .shown .sent { fill: var(--red) }
table { border-collapse: collapse; width: 100%; font-size: .92rem }
caption { text-align: left; font-weight: 600; padding: 1rem 0 .3rem }
th, td {
  text-align: left; vertical-align: top; padding: .4rem .8rem .4rem 0;
  border-bottom: 1px solid var(--line)
}
th { color: var(--quiet); font-weight: 600 }
tbody th { color: inherit; white-space: nowrap }
.alert {
  border: 1px solid var(--red); border-radius: .5rem; padding: .7rem 1rem; color: var(--red)
}
@media (max-width: 40rem) {
  dl { grid-template-columns: 1fr; gap: 0 }
  dd { margin-bottom: .5rem }
  table, tbody, tr, td, tbody th { display: block }
  thead { display: none }
  tr { padding: .5rem 0; border-bottom: 1px solid var(--line) }
  td, tbody th { border: 0; padding: .1rem 0; overflow-wrap: anywhere }
}
@media print { details > * { display: block } }
`
