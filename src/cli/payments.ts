import type { PaymentFilter, PaymentSummary } from '../client/types.ts'
import { paintText, type TextStyle } from '../lib/colour.ts'
import { showLines, showText } from '../lib/terminal-text.ts'
import { exitCodes, type RunCommand } from './command.ts'
import { findRunningMock } from './running-mock.ts'

const styles: Partial<Record<PaymentSummary['status'], TextStyle>> = {
  COMPLETED: 'green',
  FAILED: 'red',
  PAYOUT_FAILED: 'red',
  EXPIRED: 'red',
  CANCELLED: 'red'
}

/** `momock payments`: lists the latest payments of an account, newest first. */
export const run: RunCommand = async (input) => {
  const { out, err, env, flags } = input
  const mock = await findRunningMock('payments', input)
  if (mock === undefined) return exitCodes.address
  const { kind, status, limit } = flags as PaymentFilter
  const payments = await mock.client.payments({ kind, status, limit, order: 'newest' })
  if (flags.json === true) {
    out.write(`${showLines(JSON.stringify(payments, undefined, 2))}\n`)
    return exitCodes.fine
  }
  if (payments.length === 0) {
    err.write('there are no such payments; momock send deposit makes one\n')
    return exitCodes.fine
  }
  const rows = payments.map((payment) =>
    [
      `${payment.created.slice(0, 19).replace('T', ' ')}Z`,
      payment.kind,
      payment.id,
      payment.status,
      [payment.amount, payment.currency].join(' ').trim(),
      payment.provider ?? '',
      payment.scenario
    ].map(showText)
  )
  const head = ['created', 'kind', 'identifier', 'status', 'amount', 'provider', 'scenario']
  const widths = head.map((name, n) => Math.max(...[head, ...rows].map((row) => row[n].length)))
  const layOut = (row: string[]): string[] => row.map((text, n) => text.padEnd(widths[n]))
  out.write(`${paintText('dim', layOut(head).join('  ').trimEnd(), out, env)}\n`)
  for (const [index, row] of rows.entries()) {
    const style = styles[payments[index].status]
    const cells = layOut(row)
    if (style !== undefined) cells[3] = paintText(style, cells[3], out, env)
    out.write(`${cells.join('  ').trimEnd()}\n`)
  }
  return exitCodes.fine
}
