import { html, type Html } from '../../../src/lib/html.ts'
import { exampleId, findAction, type ActionName, type Fields } from '../actions.ts'
import { linkTo, type Visit } from '../visit.ts'
import { codeBlock } from './parts.ts'

/** Form of an action: a button. It is disabled for visitors who may only read. */
export function actionForm (
  visit: Visit,
  name: ActionName,
  fields: Fields,
  label: string,
  more?: Html
): Html {
  const url = linkTo(visit, `/actions/${name}`)
  const values = Object.entries({ back: backPath(visit), ...fields })
  return html`<form class="action" method="post" action="${url}">
${values.map(([field, value]) => hidden(field, value))}
${more}${submitButton(visit, label)}
</form>`
}

/** Button whose call can be listed. */
export interface ListedAction {
  action: ActionName
  fields: Fields
  label: string
}

/** Calls of buttons as curl commands, in a part that opens. */
export function callList (visit: Visit, id: string, buttons: readonly ListedAction[]): Html {
  const context = { newId: () => exampleId, base: '', ask: visit.ask }
  return html`<details class="call" id="${id}"><summary>These buttons as calls</summary>
${buttons.map(({ action, fields, label }) => {
  const call = findAction(action)?.call(fields, context)
  if (call === undefined || call instanceof Promise) return html``
  return html`<p class="label">${label}</p>${codeBlock(visit.curl(call))}`
})}
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

/** Button of an action. It is disabled for visitors who may only read. */
export function submitButton ({ access }: Visit, label: string): Html {
  return access === 'full'
    ? html`<button>${label}</button>`
    : html`<button disabled>${label}</button>`
}

function hidden (name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}">`
}
