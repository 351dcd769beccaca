/* Script of the forms of customers: they find the provider of a number. They work without it. */
'use strict'

/* global asTyped, here */

const typingMs = 250

document.addEventListener('shown', ({ target }) => prepareForm(target))

/** Shows the fields and limits of the chosen provider. */
function choose (form) {
  const chosen = form.querySelector('[name=provider]:checked')
  for (const line of form.querySelectorAll('[data-limits-of]')) {
    line.hidden = chosen !== null && chosen.value !== line.dataset.limitsOf
  }
  for (const field of form.querySelectorAll('[data-for-auth]')) {
    field.hidden = chosen !== null && chosen.dataset.auth !== field.dataset.forAuth
  }
}

/** Shows the hint of a number, and selects its provider. */
function show (form, hint, provider) {
  const before = form.querySelector('[data-by-number]')
  if (before !== null) {
    // The only one there is stays chosen.
    before.checked = form.querySelectorAll('[name=provider]').length === 1
    delete before.dataset.byNumber
  }
  if (provider !== undefined) {
    provider.checked = true
    provider.dataset.byNumber = 'true'
  }
  form.querySelector('#phoneHint').textContent = hint
  choose(form)
}

/**
 * Asks for the provider of a number and selects it. If the number belongs to another country, opens
 * the page of that country.
 */
async function predict (form, input) {
  const { predictions, country, predicted, unpredicted, unoffered } = input.dataset
  const typed = input.value
  if (typed.replace(/\D/g, '').length < 7) return
  const response = await fetch(
    `${predictions}?${new URLSearchParams({ country, phoneNumber: typed })}`,
    { headers: { accept: 'application/json' } }
  )
  const answer = await response.json()
  if (input.value !== typed) return
  if (!response.ok) {
    return show(form, answer.error.code === 'INVALID_PROVIDER' ? unoffered : unpredicted)
  }
  const radio = form.querySelector(`[name=provider][value="${CSS.escape(answer.provider)}"]`)
  if (radio !== null) return show(form, predicted.replace('{provider}', answer.displayName), radio)
  if (form.querySelector('#country') === null || answer.country === country) {
    return show(form, unoffered)
  }
  const url = asTyped(here())
  url.searchParams.set('country', answer.country)
  url.searchParams.delete('provider')
  location.replace(url)
  return 'left'
}

const prepared = new WeakSet()

/** Prepares the form of a page. A later version of the page can have the same form. */
function prepareForm (page) {
  const form = page.querySelector('form.wallet')
  if (form === null) return
  const select = form.querySelector('[data-submits]')
  const button = form.querySelector('[data-plain]')
  if (select !== null) button.hidden = true
  if (prepared.has(form)) return choose(form)
  prepared.add(form)
  select?.addEventListener('change', () => form.requestSubmit(button))
  form.addEventListener('change', ({ target }) => {
    // A provider that was chosen by hand stays when the number changes.
    if (target.name === 'provider') delete form.querySelector('[data-by-number]')?.dataset.byNumber
    choose(form)
  })
  choose(form)
  const input = form.querySelector('[data-predictions]')
  let typing
  input?.addEventListener('input', () => {
    clearTimeout(typing)
    // Removes the hint of the earlier number.
    show(form, input.dataset.plainHint)
    typing = setTimeout(() => ask(), typingMs)
  })
  const ask = async () => {
    const asked = typing
    const went = await predict(form, input).catch(() => {})
    if (typing === asked) typing = undefined
    return went
  }
  // Waits for the answer before the form is sent: otherwise a number could be sent with the
  // provider of an earlier one.
  form.addEventListener('submit', async (event) => {
    if (typing === undefined || event.submitter?.formMethod === 'get') return
    event.preventDefault()
    clearTimeout(typing)
    if ((await ask()) !== 'left') form.requestSubmit(event.submitter)
  })
}
