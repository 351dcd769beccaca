import type { limitsOf } from './catalogue.ts'

/** Steps of a customer to open the PIN prompt, or to get a one-time code, in both languages. */

type Channel = NonNullable<NonNullable<ReturnType<typeof limitsOf>>['channels']>[number]

interface Localised<T> {
  en: T
  fr: T
}

interface Step {
  text: string
  template: string
}

export interface ChannelInstructions {
  type: 'USSD' | 'APP'
  displayName: Localised<string>
  quickLink?: string
  variables: Record<string, string>
  instructions: Localised<Step[]>
}

const names: Record<Channel['type'], Localised<string>> = {
  USSD: { en: 'USSD menu', fr: 'Menu USSD' },
  APP: { en: 'App', fr: 'Application' }
}

/** The usual order of the menus; a channel's quick link, where it has one, knows better. */
const options: Record<string, Localised<string>> = {
  accountOption: { en: 'for my account', fr: 'pour mon compte' },
  paymentOption: { en: 'for payments', fr: 'pour les paiements' },
  pendingOption: { en: 'for pending transactions', fr: 'pour les transactions en attente' },
  nextOption: { en: 'for the next page', fr: 'pour la page suivante' },
  approvalOption: { en: 'for approvals', fr: 'pour les approbations' },
  subApprovalOption: { en: 'for my approvals', fr: 'pour mes approbations' },
  financialApprovalOption: {
    en: 'for financial approvals',
    fr: 'pour les approbations financières'
  },
  cdfCurrencyOption: { en: 'for CDF', fr: 'pour CDF' },
  usdCurrencyOption: { en: 'for USD', fr: 'pour USD' },
  confirmOption: { en: 'to confirm', fr: 'pour confirmer' }
}

/**
 * Steps to open the PIN prompt by hand. Menus that ask for the currency get the one of the payment.
 */
export function promptInstructions (
  channels: readonly Channel[],
  currency: string
): ChannelInstructions[] {
  return channels.map(({ type, quickLink, variables }) => {
    const chosen = Object.keys(options)
      .filter(
        (name) =>
          name in variables &&
          (!name.endsWith('CurrencyOption') || name.startsWith(currency.toLowerCase()))
      )
      .sort((a, b) => position(variables[a], quickLink) - position(variables[b], quickLink))
    return {
      type,
      displayName: names[type],
      ...(quickLink !== undefined && { quickLink }),
      variables,
      instructions: {
        en: steps(
          [
            'Dial {{shortCode}}',
            ...chosen.map((name) => `Choose {{${name}}} ${options[name].en}`),
            'Enter your PIN'
          ],
          variables
        ),
        fr: steps(
          [
            'Composez {{shortCode}}',
            ...chosen.map((name) => `Choisissez {{${name}}} ${options[name].fr}`),
            'Entrez votre code PIN'
          ],
          variables
        )
      }
    }
  })
}

/**
 * Steps to get the code that approves a payment in advance. The short codes for it are not public.
 */
export function codeInstructions (
  channels: readonly Channel[],
  provider: string
): ChannelInstructions[] {
  const known =
    channels.length > 0 ? channels : [{ type: 'USSD' as const, variables: { provider } }]
  return known.map(({ type, quickLink, variables }) => ({
    type,
    displayName: names[type],
    ...(quickLink !== undefined && { quickLink }),
    variables,
    instructions: {
      en: steps(
        [
          'shortCode' in variables ? 'Dial {{shortCode}}' : 'Open the payment menu of {{provider}}',
          'Ask for a one-time payment code',
          'Enter the code in the shop'
        ],
        variables
      ),
      fr: steps(
        [
          'shortCode' in variables
            ? 'Composez {{shortCode}}'
            : 'Ouvrez le menu de paiement de {{provider}}',
          'Demandez un code de paiement unique',
          'Entrez le code dans la boutique'
        ],
        variables
      )
    }
  }))
}

function steps (templates: string[], variables: Record<string, string>): Step[] {
  return templates.map((template) => ({
    text: template.replace(/\{\{(\w+)\}\}/g, (whole, name: string) => variables[name] ?? whole),
    template
  }))
}

function position (choice: string, quickLink = ''): number {
  const at = quickLink.replace(/[#]/g, '').split('*').slice(2).indexOf(choice)
  return at === -1 ? 99 : at
}
