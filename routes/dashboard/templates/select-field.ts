import { html, type Html } from '../../../src/lib/html.ts'

/** Choice of a form. Without `empty` one of the choices must be taken. */
export function selectField (
  name: string,
  label: string,
  choices: readonly string[],
  chosen: string | undefined,
  empty: string | undefined = 'all'
): Html {
  return html`<label>${label} <select name="${name}">
${empty === undefined ? undefined : html`<option value="">${empty}</option>`}
${choices.map((choice) => option(choice, choice === chosen))}
</select></label>`
}

function option (choice: string, isChosen: boolean): Html {
  return isChosen ? html`<option selected>${choice}</option>` : html`<option>${choice}</option>`
}
