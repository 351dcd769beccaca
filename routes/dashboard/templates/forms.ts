import { html, type Html } from '../../../src/lib/html.ts'
import { exampleId, findAction, type ActionName, type Fields } from '../actions.ts'
import { linkTo, type Visit } from '../visit.ts'
import { codeBlock } from './parts.ts'

/** Controls of a form besides its button, with values of them for the list of calls. */
export interface FormInput {
  controls: Html
  example: Fields
}

/** Form of an action: a button. It is disabled for visitors who may only read. */
export function actionForm (
  visit: Visit,
  action: ActionName,
  fields: Fields,
  label: string,
  input?: FormInput
): Html {
  const url = linkTo(visit, `/actions/${action}`)
  const values = Object.entries({ back: backPath(visit), ...fields })
  visit.buttons.push({ action, fields: { ...fields, ...input?.example }, label })
  return html`<form class="action" method="post" action="${url}">
${values.map(([field, value]) => hidden(field, value))}
${input?.controls}<button>${label}</button>
</form>`
}

/**
 * Calls of the buttons that were written since the last list, as curl commands, in a part that
 * opens. Buttons of the same action and label are listed once.
 */
export function callList (visit: Visit, id: string): Html | undefined {
  const context = { newId: () => exampleId, base: visit.base, ask: visit.ask }
  const listed = new Map<string, Html>()
  for (const { action, fields, label } of visit.buttons.splice(0)) {
    const key = `${action} ${label}`
    const found = findAction(action)
    // The command of a replay is beside its button.
    if (found === undefined || found.readsJournal === true || listed.has(key)) continue
    const call = found.call(fields, context)
    if (call instanceof Promise) continue
    listed.set(key, html`<p class="label">${label}</p>${codeBlock(visit.curl(call))}`)
  }
  if (listed.size === 0) return undefined
  return html`<details class="call" id="${id}"><summary>These buttons as calls</summary>
${[...listed.values()]}
</details>`
}

/** Field of a form that keeps the account of the visitor. */
export function accountField ({ account }: Visit): Html | undefined {
  return account.name === 'default' ? undefined : hidden('account', account.name)
}

/** Path and query of a page, to return to it after an action. */
export function backPath ({ path, query }: Visit): string {
  const { account: _account, result: _result, ...rest } = query
  const search = new URLSearchParams(rest).toString()
  return search === '' ? path : `${path}?${search}`
}

function hidden (name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}">`
}
