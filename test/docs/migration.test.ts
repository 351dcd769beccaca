import { readFileSync, writeFileSync } from 'node:fs'
import t from 'tap'
import type { KindName } from '../../src/domain/kinds.ts'
import { kinds } from '../../src/domain/kinds.ts'
import { failuresOf } from '../../src/domain/failures.ts'
import { type AnyPayment } from '../../src/domain/payment.ts'
import { statusesOf } from '../../src/domain/status.ts'
import type { RefusalCode } from '../../src/domain/refusal.ts'
import { v1 } from '../../src/wire/v1/wire.ts'
import { v2 } from '../../src/wire/v2/wire.ts'
import type { Wire } from '../../src/wire/wire.ts'
import { build, id } from '../support/helper.ts'

/**
 * The tables of docs/v1-to-v2.md, made from the two versions as they are. `tap run --snapshot`
 * writes them anew.
 */

const both: KindName[] = ['deposit', 'payout', 'refund']
const page = new URL('../../docs/v1-to-v2.md', import.meta.url)

/**
 * Every way an initiation can be refused that both versions have, in a sentence, and the kinds
 * it can happen to.
 */
const refused: Array<[what: string, code: RefusalCode, names?: KindName[]]> = [
  ['The token is missing or not known', 'NOT_AUTHENTICATED'],
  ['The token may not do this', 'NOT_AUTHORISED'],
  ['A signature is wanted and not good', 'SIGNATURE_INVALID'],
  ['The body is not JSON', 'UNREADABLE'],
  ['The body is too large', 'TOO_LARGE'],
  ['A field is missing', 'MISSING'],
  ['A field breaks its rule', 'INVALID'],
  ['A name of the metadata is given twice', 'DUPLICATE_METADATA'],
  ['There is no such provider', 'UNKNOWN_PROVIDER', ['deposit', 'payout']],
  ['The account does not have the provider', 'PROVIDER_NOT_ENABLED'],
  ['The kind is switched off', 'KIND_NOT_ALLOWED'],
  ['The provider does not take the currency', 'CURRENCY'],
  ['The number is not one of the provider', 'PHONE_NUMBER', ['deposit', 'payout']],
  ['Too many decimals', 'DECIMALS'],
  ['Below the minimum', 'BELOW_MINIMUM'],
  ['Above the maximum', 'ABOVE_MAXIMUM'],
  ['The provider does not work', 'PROVIDER_UNAVAILABLE'],
  ['Your wallet does not hold enough', 'OUT_OF_FUNDS', ['payout', 'refund']],
  ['A refund of a deposit that nobody made', 'DEPOSIT_NOT_FOUND', ['refund']],
  ['A refund of a deposit that is not COMPLETED', 'DEPOSIT_NOT_COMPLETED', ['refund']],
  ['A refund while another is under way', 'REFUND_IN_PROGRESS', ['refund']],
  ['A refund of what has been refunded', 'DEPOSIT_REFUNDED', ['refund']],
  ['A refund of more than is left', 'REFUND_TOO_LARGE', ['refund']],
  ['The service itself failed', 'UNEXPECTED']
]

/** Answer of a version to a refusal. */
function said (wire: Wire, code: RefusalCode, names: readonly KindName[]): string {
  const words = names.map((name) => {
    const { status, body } = wire.answers.initiated(
      kinds[name],
      id(),
      { outcome: 'REFUSED', refusal: { code, message: 'why' } },
      id
    ) as { status: number; body: any }
    const word = body.rejectionReason?.rejectionCode ?? body.failureReason?.failureCode
    return `${status} ${word === undefined ? `errorCode ${body.errorCode}` : `\`${word}\``}`
  })
  return [...new Set(words)].join(', ')
}

/** The word of v1 for a failure of v2. */
function failureWord (name: KindName, failureCode: string): string {
  const payment = {
    kind: kinds[name],
    created: 0,
    details: { provider: 'MTN_MOMO_ZMB', amount: '15' },
    plan: {}
  } as unknown as AnyPayment
  const { failureReason } = v1.codecs[name]!.write({
    payment,
    state: {
      to: 'FAILED',
      at: 0,
      by: 'plan',
      cause: 'test',
      failure: { failureCode, failureMessage: '' }
    },
    parts: []
  }) as { failureReason: { failureCode: string } }
  return failureReason.failureCode
}

/** The states of a kind in a version, as its records can have them. */
function statuses (wire: Wire, name: KindName): string[] {
  const { anyOf, enum: words } = wire.codecs[name]!.record.properties.status
  return [...new Set<string>(words ?? anyOf.map(({ const: word }: { const: string }) => word))]
}

function tableOf (head: string[], rows: string[][]): string {
  const [first, ...others] = [head, ...rows].map((cells) => `| ${cells.join(' | ')} |`)
  return [first, `|${'---|'.repeat(head.length)}`, ...others].join('\n')
}

function tables (operations: Map<string, string>): Record<string, string> {
  const calls = [...operations]
    .filter(([name]) => name.startsWith('v1'))
    .map(([name, v1Call]) => [
      `\`${v1Call}\``,
      `\`${operations.get(name.replace('v1', 'v2').replace('OfCountry', ''))}\``
    ])
  return {
    statuses: tableOf(
      ['Kind', 'v1', 'v2'],
      both.map((name) => [
        kinds[name].path,
        ...[v1, v2].map((wire) => statuses(wire, name).join(', '))
      ])
    ),
    operations: tableOf(['v1', 'v2'], calls),
    refusals: tableOf(
      ['What is wrong', 'v1', 'v2'],
      refused.map(([what, code, names = both]) => [
        what,
        said(v1, code, names),
        said(v2, code, names)
      ])
    ),
    failures: tableOf(
      ['Kind', 'v1', 'v2'],
      both.flatMap((name) =>
        failuresOf(name)
          .filter((code) => failureWord(name, code) !== code)
          .map((code) => [kinds[name].path, `\`${failureWord(name, code)}\``, `\`${code}\``])
      )
    )
  }
}

t.test('docs/v1-to-v2.md has the tables of the code', async (t) => {
  const mock = await build(t)
  const { paths } = (await mock.call('GET', '/__admin/openapi.json')).body as {
    paths: Record<string, Record<string, { operationId: string }>>
  }
  const operations = new Map(
    Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, { operationId }]) => [
        operationId,
        `${method.toUpperCase()} ${path}`
      ])
    )
  )
  const document = readFileSync(page, 'utf8')
  const corrected = Object.entries(tables(operations)).reduce((text, [name, table]) => {
    t.match(text, new RegExp(`<!-- ${name} -->\n[^]*<!-- /${name} -->`))
    return text.replace(
      new RegExp(`(<!-- ${name} -->\n)[^]*(<!-- /${name} -->)`),
      (_, begin, end) => `${begin}${table}\n${end}`
    )
  }, document)
  if (process.env.TAP_SNAPSHOT === '1') writeFileSync(page, corrected)
  else t.equal(document, corrected)
  t.notMatch(corrected, 'undefined')
})

t.test('v1 and v2 have the statuses of the domain', async (t) => {
  for (const name of both) t.strictSame(statuses(v2, name), [...statusesOf(kinds[name])])
})
