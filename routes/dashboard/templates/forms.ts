import { html, type Html } from '../../../src/lib/html.ts'
import type { ActionName, Fields } from '../actions.ts'
import { linkTo, type Visit } from '../visit.ts'

/** What a form has besides its button. `danger` is for what destroys. */
export interface FormLook {
  controls?: Html
  look?: 'main' | 'danger' | 'quiet'
}

/** Form of an action with one button. */
export function actionForm (
  visit: Visit,
  action: ActionName,
  fields: Fields,
  label: string,
  { controls, look }: FormLook = {}
): Html {
  const button =
    look === undefined
      ? html`<button>${label}</button>`
      : html`<button class="${look}">${label}</button>`
  return formOf(visit, action, fields, html`${controls}${button}`)
}

/** Form of an action with any content. */
export function formOf (visit: Visit, action: ActionName, fields: Fields, content: Html): Html {
  const url = linkTo(visit, `/actions/${action}`)
  const values = Object.entries({ back: backPath(visit), ...fields })
  return html`<form class="action" method="post" action="${url}">
${values.map(([field, value]) => hidden(field, value))}
${content}</form>`
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
