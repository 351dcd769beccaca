/** Amounts are strings in requests and whole hundredths in the books. No amount is a float. */

/**
 * One digit before the point at least, eighteen at most, no leading zero, one to four decimals;
 * trailing zeroes are fine.
 */
export const amountPattern = '^(0|[1-9][0-9]{0,17})([.][0-9]{1,4})?$'

/** Forms of amounts by the number of decimals that a provider takes. Zeroes are decimals, too. */
export const amountForms = { 0: /^\d+$/, 2: /^\d+([.]\d{1,2})?$/ } as const

/**
 * The amount in hundredths; only for amounts within a provider's limits, which keep it far below
 * 2^53.
 */
export function toHundredths (amount: string): number {
  return Math.round(Number(amount) * 100)
}

/** Hundredths as people write them: `1050` is `10.50`, `1000` is `10.00`. */
export function fromHundredths (hundredths: number): string {
  const sign = hundredths < 0 ? '-' : ''
  const digits = String(Math.abs(hundredths)).padStart(3, '0')
  return `${sign}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/**
 * Ways to print the amounts of records: two decimals, as the merchant sent them, or four decimals.
 */
export const amountStyles = ['two', 'sent', 'four'] as const
export type AmountStyle = (typeof amountStyles)[number]

/** Styles of an account: one for records and callbacks, or one for each. */
export type AmountStyles = AmountStyle | { records?: AmountStyle; callbacks?: AmountStyle }

/** Returns the style for one use; records and callbacks have two decimals by default. */
export function amountStyleFor (
  use: 'records' | 'callbacks',
  styles: AmountStyles | undefined
): AmountStyle | undefined {
  return typeof styles === 'object' ? styles[use] : styles
}

/**
 * Prints an amount of a record; `15` becomes `15.00`. Amounts have at most two decimals that
 * matter.
 */
export function formatAmount (amount: string, style: AmountStyle = 'two'): string {
  if (style === 'sent') return amount
  const digits = style === 'four' ? 4 : 2
  const [whole, decimals = ''] = amount.split('.')
  return `${whole}.${decimals.slice(0, digits).padEnd(digits, '0')}`
}
