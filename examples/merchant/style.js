/** Style of the shop. */
export const style = `
:root {
  color-scheme: light dark;
  --paper: light-dark(#f6f3ee, #14110e);
  --card: light-dark(#fff, #201c18);
  --ink: light-dark(#231d17, #f0e9e1);
  --soft: light-dark(#6a5f54, #b5a99c);
  --line: light-dark(#e2dad0, #3b342d);
  --accent: light-dark(#8a4b12, #f0b376);
  --good: light-dark(#1b6b3a, #7bd69b);
  --bad: light-dark(#a3281c, #ff9c90)
}
* { box-sizing: border-box }
body {
  margin: 0;
  background: var(--paper);
  color: var(--ink);
  font: 1.0625rem/1.55 system-ui, sans-serif;
  overflow-wrap: anywhere
}
main { max-width: 40rem; margin: 0 auto; padding: 1.5rem 1rem 3rem }
h1 { margin: 0 0 1rem; font-size: 1.75rem }
h2 { margin: 0 0 .5rem; font-size: 1.125rem }
a { color: var(--accent) }
.card {
  margin-bottom: 1rem;
  padding: 1.25rem;
  border: 1px solid var(--line);
  border-radius: .75rem;
  background: var(--card)
}
fieldset { margin: 0 0 1rem; padding: 0; border: 0 }
legend, label { font-weight: 600 }
.choice {
  display: flex;
  gap: .75rem;
  margin-top: .5rem;
  padding: .625rem .875rem;
  border: 1px solid var(--line);
  border-radius: .5rem;
  font-weight: 400;
  cursor: pointer
}
.choice b { margin-left: auto }
.choice:has(:checked) { border-color: var(--accent); box-shadow: inset 0 0 0 1px var(--accent) }
input[type=radio] { accent-color: var(--accent) }
input[type=tel] {
  width: 100%;
  padding: .625rem .875rem;
  border: 1px solid var(--soft);
  border-radius: .5rem;
  background: var(--card);
  color: inherit;
  font: inherit
}
.hint { margin: .375rem 0 1rem; color: var(--soft); font-size: .875rem }
button {
  padding: .625rem 1.5rem;
  border: 0;
  border-radius: .5rem;
  background: var(--accent);
  color: var(--card);
  font: inherit;
  font-weight: 600;
  cursor: pointer
}
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
.problem { color: var(--bad); font-weight: 600 }
table { width: 100%; border-collapse: collapse; font-size: .9375rem }
th, td {
  padding: .5rem .5rem .5rem 0;
  border-bottom: 1px solid var(--line);
  text-align: left;
  overflow-wrap: normal;
  white-space: nowrap
}
@media (max-width: 30rem) { table { font-size: .875rem } th, td { padding-right: .25rem } }
.state { font-weight: 600 }
.state.paid, .state.refunded, .verified { color: var(--good) }
.state.failed { color: var(--bad) }
p.state { margin-top: 0; font-size: 1.25rem }
dl { display: grid; grid-template-columns: auto 1fr; gap: .25rem 1rem; margin: 1rem 0 }
dt { color: var(--soft) }
dd { margin: 0 }
code { font-size: .875em }
`
