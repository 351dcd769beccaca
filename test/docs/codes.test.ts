import { readFileSync, writeFileSync } from 'node:fs'
import { customerTexts } from '../../src/domain/customer-texts.ts'
import t from 'tap'
import type { Test } from 'tap'
import type { AccountSettings } from '../../src/domain/account-settings.ts'
import { shippedCatalogue } from '../../src/domain/catalogue.ts'
import { failures } from '../../src/domain/failures.ts'
import type { KindName } from '../../src/domain/kinds.ts'
import { kinds } from '../../src/domain/kinds.ts'
import type { Version } from '../../src/domain/api-version.ts'
import { statuses } from '../../src/domain/status.ts'
import { rejectionsOf } from '../../src/domain/rejections.ts'
import { v1 } from '../../src/wire/v1/wire.ts'
import { v2 } from '../../src/wire/v2/wire.ts'
import { but, prefix, requests } from '../support/examples.ts'
import { long } from '../support/full.ts'
import { build, id, receiver, type Answer, type Client } from '../support/helper.ts'

/**
 * Every code of the API, and a request that is answered with it. The tables of docs/codes.md are
 * made of this one: what the document says is what the test does.
 */

/**
 * Places of codes: the answer to a request, or the record and the callback of a failed payment.
 */
const sections = {
  'v2 answers': 'v2',
  'v2 failures': 'v2',
  'v1 rejections': 'v1',
  'v1 failures': 'v1',
  'v1 errors': 'v1'
} as const satisfies Record<string, Version>
type Section = keyof typeof sections

/**
 * Operations on payments; `element` is one element of a bulk request.
 */
type Operation = 'initiate' | 'element' | 'bulk' | 'find' | 'resend' | 'cancel'

interface Recipe {
  section: Section
  code: string
  http: number
  /** Meaning of the code. */
  when: string
  /** Recipe that produces the code: as a text and as a program. */
  how: string
  ask: (stage: Stage, operation: Operation) => Promise<Answer>
  kinds?: readonly KindName[]
  operations?: readonly Operation[]
  /** Instead of a kind. */
  where?: string
  /** The keys of the answer, where they are not those that the version always has. */
  keys?: readonly string[]
}

/** Tokens of the accounts below; every row without one has an account of its own. */
const tokens = {
  nothing: 'may-nothing',
  noDeposits: 'no-deposits',
  depositsOnly: 'deposits-only',
  airtelOnly: 'airtel-only',
  poor: 'poor',
  signedOnly: 'signed-only'
}
const wallet = { country: 'ZMB', currency: 'ZMW', balance: '0.00' }
const accounts: AccountSettings[] = [
  { name: 'guarded', tokens: [{ token: tokens.nothing, allow: [] }] },
  {
    name: 'no-deposits',
    tokens: [{ token: tokens.noDeposits }],
    operations: ['PAYOUT', 'REFUND', 'REMITTANCE']
  },
  {
    name: 'deposits-only',
    tokens: [{ token: tokens.depositsOnly }],
    operations: ['DEPOSIT']
  },
  { name: 'airtel-only', tokens: [{ token: tokens.airtelOnly }], providers: ['AIRTEL_OAPI_ZMB'] },
  { name: 'poor', tokens: [{ token: tokens.poor }], wallets: [wallet] },
  { name: 'signed-only', tokens: [{ token: tokens.signedOnly }], signedRequestsOnly: true }
]

/** Wallet of the customer. */
interface Party {
  phoneNumber: string
  provider: string
  currency: string
}
const mtn = (phoneNumber: string): Party => ({
  phoneNumber,
  provider: 'MTN_MOMO_ZMB',
  currency: 'ZMW'
})
const airtel = (phoneNumber: string): Party => ({
  phoneNumber,
  provider: 'AIRTEL_OAPI_ZMB',
  currency: 'ZMW'
})
const mpesa = (phoneNumber: string): Party => ({
  phoneNumber,
  provider: 'MPESA_KEN',
  currency: 'KES'
})
const anybody = mtn('260763456789')

/** One account, one kind, one version: everything a recipe needs. */
class Stage {
  readonly #mock: Client
  /** Account of the request. */
  token: string
  readonly version: Version
  readonly kind: (typeof kinds)[KindName]
  readonly path: string
  /** The identifier of what was last asked for. */
  own = ''

  constructor (mock: Client, token: string, version: Version, name: KindName) {
    this.#mock = mock
    this.token = token
    this.version = version
    this.kind = kinds[name]
    this.path = `${prefix[version]}/${this.kind.path}`
  }

  call (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {}
  ): Promise<Answer> {
    return this.#mock.call(method, path, body, {
      authorization: `Bearer ${this.token}`,
      ...headers
    })
  }

  make (): Record<string, any> {
    return requests[this.version][this.kind.name]!()
  }

  /**
   * A request that is accepted if nothing is done about it; a refund is of a deposit of this payer
   * that is COMPLETED.
   */
  async good (party = anybody): Promise<Record<string, any>> {
    if (this.kind.name !== 'refund') {
      return {
        ...named(this.make(), this.version, this.kind.party, party),
        currency: party.currency
      }
    }
    const { currency: _, ...refund } = this.make()
    return { ...refund, depositId: await this.deposit(party) }
  }

  /** The identifier of a deposit that is COMPLETED. */
  async deposit (party = anybody): Promise<string> {
    const deposit = {
      ...named(requests.v2.deposit!(), 'v2', 'payer', party),
      currency: party.currency
    } as Record<string, any>
    await this.call('POST', '/v2/deposits', deposit)
    await this.idle()
    return deposit.depositId
  }

  send (
    operation: Operation,
    body: Record<string, any> | string = this.make(),
    headers?: Record<string, string>
  ): Promise<Answer> {
    this.own = typeof body === 'string' ? '' : body[this.kind.idField]
    switch (operation) {
      case 'initiate':
        return this.call('POST', this.path, body, headers)
      case 'element':
        return this.call('POST', `${this.path}/bulk`, [body], headers)
      case 'bulk':
        return this.call(
          'POST',
          `${this.path}/bulk`,
          typeof body === 'string' ? body : [body],
          headers
        )
      case 'find':
        return this.call('GET', `${this.path}/${this.own}`, undefined, headers)
      case 'resend':
        return this.version === 'v2'
          ? this.call('POST', `${this.path}/resend-callback/${this.own}`, undefined, headers)
          : this.call(
            'POST',
              `${this.path}/resend-callback`,
              { [this.kind.idField]: this.own },
              headers
          )
      case 'cancel':
        return this.call('POST', `${this.path}/fail-enqueued/${this.own}`, undefined, headers)
    }
  }

  rule (effect: object): Promise<Answer> {
    return this.call('POST', '/__admin/scenarios', { name: 'rule', ...effect })
  }

  outage (state: 'DELAYED' | 'CLOSED'): Promise<Answer> {
    return this.call('PUT', '/__admin/providers/MTN_MOMO_ZMB', { [this.kind.operation]: state })
  }

  /** Lets everything happen that is due, whenever that is. */
  idle (): Promise<Answer> {
    return this.call('POST', '/__admin/clock/advance', { until: 'idle' })
  }

  /** The record of what was last asked for. */
  async record (): Promise<any> {
    const { body } = await this.call('GET', `${this.path}/${this.own}`)
    return Array.isArray(body) ? body[0] : body.data
  }
}

/** A request that names this party as its payer or recipient. */
function named (
  request: Record<string, any>,
  version: Version,
  role: string,
  { phoneNumber, provider }: Party
): Record<string, any> {
  if (version === 'v2') return but(request, `${role}.accountDetails`, { phoneNumber, provider })
  return but(but(request, `${role}.address.value`, phoneNumber), 'correspondent', provider)
}

type Ask = Recipe['ask']

/** Recipe of a code: a text for the document, and the program that does the same. */
const say = (how: string, ask: Ask): { how: string; ask: Ask } => ({ how, ask })
const spaced = [
  ['":', '": '],
  [',"', ', "'],
  ['{"', '{ "'],
  ['}', ' }'],
  ['},{', '}, {']
] as const
const written = (value: unknown): string =>
  `\`${spaced.reduce((text, [from, to]) => text.replaceAll(from, to), JSON.stringify(value))}\``
const field = (path: string, value: unknown): { how: string; ask: Ask } =>
  say(`set \`${path}\` to ${written(value)}`, async (stage, operation) =>
    stage.send(operation, but(await stage.good(), path, value))
  )
const without = (path: string): { how: string; ask: Ask } =>
  say(`leave \`${path}\` out`, async (stage, operation) =>
    stage.send(operation, but(await stage.good(), path))
  )
const token = (how: string, authorization: string): { how: string; ask: Ask } =>
  say(how, (stage, operation) => stage.send(operation, undefined, { authorization }))
const account = (how: string, token: string): { how: string; ask: Ask } =>
  say(how, async (stage) => {
    stage.token = token
    return stage.send('initiate', await stage.good())
  })
const rejects = (reject: string): { how: string; ask: Ask } =>
  say(`only by a rule: ${written({ reject })}`, async (stage) => {
    const body = await stage.good()
    await stage.rule({ reject, when: { kind: stage.kind.name } })
    return stage.send('initiate', body)
  })
const number = (
  party: Party,
  how = `the number \`${party.phoneNumber}\` of \`${party.provider}\``
): { how: string; ask: Ask } =>
  say(how, async (stage) => stage.send('initiate', await stage.good(party)))
const fails = (failureCode: string): { how: string; ask: Ask } =>
  say(`only by a scenario: ${written({ fail: failureCode })}`, async (stage) => {
    const body = await stage.good()
    // A split payment follows the scenario of its deposit.
    const kind = stage.kind.name === 'splitPayment' ? 'deposit' : stage.kind.name
    await stage.rule({ when: { kind }, fail: failureCode })
    return stage.send('initiate', body)
  })
const outage = (words: string): { how: string; ask: Ask } =>
  say(`\`PUT /__admin/providers/MTN_MOMO_ZMB\` with ${words}`, async (stage) => {
    const body = await stage.good()
    await stage.outage('CLOSED')
    return stage.send('initiate', body)
  })
const cancelled = say(
  'let the provider be `DELAYED` (`PUT /__admin/providers/MTN_MOMO_ZMB`), initiate, and ' +
    '`POST …/fail-enqueued/{id}`',
  async (stage) => {
    const body = await stage.good()
    await stage.outage('DELAYED')
    const answer = await stage.send('initiate', body)
    await stage.send('cancel', body)
    return answer
  }
)
const refundOf = (
  how: string,
  depositOf: (stage: Stage) => Promise<string>,
  amount?: string
): { how: string; ask: Ask } =>
  say(how, async (stage) => {
    const depositId = await depositOf(stage)
    return stage.send(
      'initiate',
      but({ ...but(stage.make(), 'currency'), depositId }, 'amount', amount)
    )
  })
const foreign = number(mtn('255763456789'), 'a number of another country: `255763456789`')
const unfinished = async (stage: Stage): Promise<string> => {
  const deposit = requests.v2.deposit!()
  await stage.call('POST', '/v2/deposits', deposit)
  return deposit.depositId
}
const refunded =
  (end: boolean) =>
    async (stage: Stage): Promise<string> => {
      const depositId = await stage.deposit()
      await stage.call('POST', '/v2/refunds', { refundId: id(), depositId })
      if (end) await stage.idle()
      return depositId
    }
/** Whatever came in has gone out again. */
const penniless = say(
  'an account whose wallet holds less: `wallets: [{ country: ZMB, currency: ZMW, balance: ' +
    '"0.00" }]`',
  async (stage) => {
    stage.token = tokens.poor
    const body = await stage.good()
    if (stage.kind.name === 'refund') await stage.call('POST', '/v2/payouts', requests.v2.payout!())
    return stage.send('initiate', body)
  }
)
const tooSoon = say('ask right after the initiation', async (stage, operation) => {
  const body = await stage.good()
  await stage.send('initiate', body)
  return stage.send(operation, body)
})
const errs = say(
  'the header `X-Momock-Scenario: error-then-success`, or a rule: `{ "http": { "status": 500 } }`',
  async (stage, operation) => {
    const body = await stage.good()
    if (stage.kind.name !== 'splitPayment') {
      return stage.send(operation, body, { 'x-momock-scenario': 'error-then-success' })
    }
    await stage.rule({ http: { status: 500 } })
    return stage.send(operation, body)
  }
)
const statement = (path: string, value: unknown): { how: string; ask: Ask } =>
  say(`\`POST /v2/statements\` with \`${path}\` set to ${written(value)}`, (stage) => {
    const body = {
      wallet: { country: 'ZMB', currency: 'ZMW' },
      callbackUrl: 'https://shop.example/statements',
      startDate: '2026-01-01T00:00:00',
      endDate: '2026-01-31T00:00:00'
    }
    return stage.call('POST', '/v2/statements', but(body, path, value))
  })
/** Places that are about no payment. */
const places: Record<Version, Record<string, string>> = {
  v2: { toolkit: '/v2/active-conf', finances: '/v2/wallet-balances' },
  v1: { toolkit: '/active-conf', finances: '/v1/wallet-balances' }
}

const all = [
  'deposit',
  'payout',
  'refund',
  'remittance',
  'splitPayment'
] as const satisfies KindName[]
const outgoing = ['payout', 'refund', 'remittance'] as const satisfies KindName[]
const earlier = ['deposit', 'payout', 'refund'] as const satisfies KindName[]
const except = <T extends KindName>(list: readonly T[], ...left: KindName[]): T[] =>
  list.filter((name) => !left.includes(name))
const everything: readonly Operation[] = ['initiate', 'bulk', 'find', 'resend', 'cancel']
const nobody = token(
  'a token that nobody has, or none: `Authorization: Bearer nobody`',
  'Bearer nobody'
)
const idle = token(
  'a token without the permission: `test-token-readonly` cannot start payments; one with ' +
    '`allow: []` in the configuration can do nothing',
  `Bearer ${tokens.nothing}`
)
const unsigned = token(
  'an account with `signedRequestsOnly`, and a signature that is missing or wrong',
  `Bearer ${tokens.signedOnly}`
)
const unreadable = say('a body that is not JSON: `{`', (stage, operation) =>
  stage.send(operation, '{')
)
const wrongPath = say('an identifier in the path that is no UUID: `nonsense`', (stage, operation) =>
  stage.send(operation, { ...stage.make(), [stage.kind.idField]: 'nonsense' })
)
const messages = { v1: field('statementDescription', 'abc'), v2: field('amount', '05') }

/**
 * The same answer where no payment is asked about; the availability and the keys of v1 need no
 * token.
 */
const elsewhere = <T extends object>(
  version: Version,
  how: string,
  authorization: string,
  answer: T
) =>
    Object.entries(places[version]).map(([where, path]) => ({
      ...answer,
      where: `${where}: \`GET ${path}\``,
      ...say(how, (stage) => stage.call('GET', path, undefined, { authorization }))
    }))

/** Rows of one section. */
const rows = (
  section: Section,
  list: Array<Omit<Recipe, 'section' | 'http'> & { http?: number }>
): Recipe[] => list.map((recipe) => ({ section, http: 200, ...recipe }))

const table: Recipe[] = [
  ...rows('v2 answers', [
    {
      code: 'AUTHENTICATION_ERROR',
      http: 401,
      kinds: all,
      operations: everything,
      when: 'The token is missing or not known.',
      ...nobody
    },
    ...elsewhere('v2', nobody.how, 'Bearer nobody', {
      code: 'AUTHENTICATION_ERROR',
      http: 401,
      keys: ['failureReason'],
      when: 'The token is missing or not known.'
    }),
    {
      code: 'AUTHORISATION_ERROR',
      http: 403,
      kinds: all,
      operations: everything,
      when: 'The token is known, but may not do this.',
      ...idle
    },
    ...elsewhere('v2', 'a token with `allow: []`', `Bearer ${tokens.nothing}`, {
      code: 'AUTHORISATION_ERROR',
      http: 403,
      keys: ['failureReason'],
      when: 'The token is known, but may not do this.'
    }),
    {
      code: 'HTTP_SIGNATURE_ERROR',
      http: 401,
      kinds: all,
      operations: ['initiate', 'bulk'],
      when: 'The account takes signed requests only, and this one is not signed well.',
      ...unsigned
    },
    {
      code: 'INVALID_INPUT',
      http: 400,
      kinds: all,
      operations: ['initiate', 'bulk'],
      keys: ['status', 'failureReason'],
      when: 'The body cannot be read.',
      ...unreadable
    },
    {
      code: 'MISSING_PARAMETER',
      http: 400,
      kinds: except(all, 'refund'),
      when: 'A field that is required is not there.',
      ...without('amount')
    },
    {
      code: 'MISSING_PARAMETER',
      http: 400,
      kinds: ['refund'],
      when: 'A field that is required is not there.',
      ...without('depositId')
    },
    {
      code: 'MISSING_PARAMETER',
      http: 400,
      kinds: ['deposit'],
      when: 'The provider wants a code that the customer made beforehand.',
      ...say('a deposit of `ORANGE_BFA` without `preAuthorisationCode`', async (stage) =>
        stage.send(
          'initiate',
          await stage.good({ phoneNumber: '22607345678', provider: 'ORANGE_BFA', currency: 'XOF' })
        )
      )
    },
    {
      code: 'UNSUPPORTED_PARAMETER',
      http: 400,
      kinds: all,
      when: 'There is a field that the API does not know.',
      ...field('amout', '15.00')
    },
    {
      code: 'INVALID_PARAMETER',
      http: 400,
      kinds: all,
      when: 'A field breaks its rule, or names a provider that does not exist.',
      ...messages.v2
    },
    {
      code: 'INVALID_PARAMETER',
      http: 400,
      kinds: all,
      operations: ['find', 'resend', 'cancel'],
      when: 'The identifier in the path is not one.',
      ...wrongPath
    },
    {
      code: 'INVALID_PARAMETER',
      kinds: ['payout', 'remittance'],
      operations: ['element'],
      when: 'One of many breaks a rule; the others stand.',
      ...messages.v2
    },
    {
      code: 'DUPLICATE_METADATA_FIELD',
      http: 400,
      kinds: all,
      when: 'Two metadata entries have the same name.',
      ...field('metadata', [{ a: '1' }, { a: '2' }])
    },
    {
      code: 'DEPOSITS_NOT_ALLOWED',
      http: 403,
      kinds: ['deposit'],
      when: 'Deposits are switched off for the account or the provider.',
      ...account('an account with `operations: [PAYOUT]`', tokens.noDeposits)
    },
    {
      code: 'PAYOUTS_NOT_ALLOWED',
      http: 403,
      kinds: ['payout'],
      when: 'Payouts are switched off for the account or the provider.',
      ...account('an account with `operations: [DEPOSIT]`', tokens.depositsOnly)
    },
    {
      code: 'REFUNDS_NOT_ALLOWED',
      http: 403,
      kinds: ['refund'],
      when: 'Refunds are switched off for the account or the provider.',
      ...account('an account with `operations: [DEPOSIT]`', tokens.depositsOnly)
    },
    {
      code: 'REMITTANCES_NOT_ALLOWED',
      http: 403,
      kinds: ['remittance'],
      when: 'Remittances are switched off for the account or the provider.',
      ...account('an account with `operations: [DEPOSIT]`', tokens.depositsOnly)
    },
    {
      code: 'SPLIT_PAYMENTS_NOT_ALLOWED',
      http: 403,
      kinds: ['splitPayment'],
      when: 'Deposits, or payouts of one of the parts, are switched off.',
      ...account('an account with `operations: [DEPOSIT]`', tokens.depositsOnly)
    },
    {
      code: 'AMOUNT_OUT_OF_BOUNDS',
      kinds: all,
      when: 'The amount is below the minimum of the provider, or above its maximum.',
      ...field('amount', '0.5')
    },
    {
      code: 'INVALID_AMOUNT',
      kinds: all,
      when: 'The amount has more decimals than the provider takes.',
      ...field('amount', '5.555')
    },
    {
      code: 'INVALID_PHONE_NUMBER',
      kinds: except(all, 'refund'),
      when: "The number is not one of the provider's country.",
      ...foreign
    },
    {
      code: 'INVALID_PHONE_NUMBER',
      kinds: ['refund'],
      when: 'Never by itself: a refund goes to the number of its deposit.',
      ...rejects('INVALID_PHONE_NUMBER')
    },
    {
      code: 'INVALID_CURRENCY',
      kinds: all,
      when: 'The provider does not take the currency; for a refund, it is not that of the deposit.',
      ...field('currency', 'USD')
    },
    {
      code: 'INVALID_PROVIDER',
      kinds: except(all, 'refund'),
      when: 'The provider exists, but the account does not have it.',
      ...account('an account with `providers: [AIRTEL_OAPI_ZMB]`', tokens.airtelOnly)
    },
    {
      code: 'INVALID_PROVIDER',
      kinds: ['refund'],
      when: 'The account had the provider when the deposit was made, and has it no more.',
      ...rejects('INVALID_PROVIDER'),
      how: 'a rule: `{ "reject": "INVALID_PROVIDER" }`'
    },
    {
      code: 'PROVIDER_TEMPORARILY_UNAVAILABLE',
      kinds: all,
      when:
        'The provider is CLOSED for this operation; deposits are also rejected while it is ' +
        'DELAYED.',
      ...outage('`{ "DEPOSIT": "CLOSED" }`, or `PAYOUT`, `REFUND`, `REMITTANCE`')
    },
    {
      code: 'PAWAPAY_WALLET_OUT_OF_FUNDS',
      kinds: outgoing,
      when: 'The wallet of the account holds less than the amount.',
      ...penniless
    },
    {
      code: 'NOT_FOUND',
      kinds: ['refund'],
      when: 'There is no such deposit.',
      ...refundOf('a `depositId` that nobody made', async () => id())
    },
    {
      code: 'NOT_FOUND',
      kinds: all,
      operations: ['resend', 'cancel'],
      when: 'There is no such payment.',
      ...say('an identifier that nobody made', (stage, operation) => stage.send(operation))
    },
    {
      code: 'INVALID_STATE',
      kinds: ['refund'],
      when: 'The deposit is not COMPLETED.',
      ...refundOf('refund a deposit right after its initiation, or one that FAILED', unfinished)
    },
    {
      code: 'INVALID_STATE',
      kinds: all,
      operations: ['resend', 'cancel'],
      when: 'Only what is final can be resent; only what is ENQUEUED can be cancelled.',
      ...tooSoon
    },
    {
      code: 'AMOUNT_TOO_LARGE',
      kinds: ['refund'],
      when: 'The amount is more than is left of the deposit.',
      ...refundOf('refund `15.01` of a deposit of `15`', (stage) => stage.deposit(), '15.01')
    },
    {
      code: 'DEPOSIT_ALREADY_REFUNDED',
      kinds: ['refund'],
      when: 'Nothing is left of the deposit.',
      ...refundOf('refund a deposit again, once its refund is COMPLETED', refunded(true))
    },
    {
      code: 'REFUND_IN_PROGRESS',
      kinds: ['refund'],
      when: 'Another refund of the deposit is not final yet.',
      ...refundOf('refund a deposit twice at once', refunded(false))
    },
    {
      code: 'PAYOUT_EXCEEDS_DEPOSIT',
      kinds: ['splitPayment'],
      when: 'The parts add up to more than the whole.',
      ...field('splits.0.amount', '10.51')
    },
    {
      code: 'INVALID_CALLBACK_URL',
      http: 400,
      where: 'statements',
      keys: ['status', 'failureReason'],
      when: 'The address for the callback is not an http or https URL.',
      ...statement('callbackUrl', 'ftp://shop.example')
    },
    {
      code: 'INVALID_DATE_RANGE',
      http: 400,
      where: 'statements',
      keys: ['status', 'failureReason'],
      when: 'The end is not after the start, or more than 31 days after it.',
      ...statement('endDate', '2026-03-01T00:00:00')
    },
    {
      code: 'WALLET_NOT_FOUND',
      http: 400,
      where: 'statements',
      keys: ['status', 'failureReason'],
      when: 'The account has no such wallet.',
      ...statement('wallet.currency', 'USD')
    },
    {
      code: 'UNKNOWN_ERROR',
      http: 500,
      kinds: all,
      when: 'The service itself failed; there is no `status`.',
      ...errs
    }
  ]),
  ...rows('v2 failures', [
    {
      code: 'PAYER_NOT_FOUND',
      kinds: ['deposit'],
      when: 'The number belongs to no customer of the provider.',
      ...number(mtn('260763456029'))
    },
    {
      code: 'PAYMENT_NOT_APPROVED',
      kinds: ['deposit', 'splitPayment'],
      when: 'The customer did not approve.',
      ...number(mtn('260763456039'))
    },
    {
      code: 'PAYER_LIMIT_REACHED',
      kinds: ['deposit'],
      when: "The customer's wallet has reached a limit.",
      ...number(mtn('260763456019'))
    },
    {
      code: 'INSUFFICIENT_BALANCE',
      kinds: ['deposit'],
      when: 'The customer has not enough money.',
      ...number(airtel('260973456049'))
    },
    {
      code: 'PAYMENT_IN_PROGRESS',
      kinds: ['deposit'],
      when: 'The customer has another payment to approve first.',
      ...fails('PAYMENT_IN_PROGRESS')
    },
    {
      code: 'TRANSACTION_ALREADY_IN_PROCESS',
      kinds: ['deposit'],
      when: 'The customer has another transaction in process.',
      ...number(mpesa('254703456059'))
    },
    {
      code: 'RECIPIENT_NOT_FOUND',
      kinds: outgoing,
      when: 'The number belongs to no customer of the provider.',
      ...number(mtn('260763456079'))
    },
    {
      code: 'RECIPIENT_LIMIT_REACHED',
      kinds: outgoing,
      when: "The recipient's wallet has reached a limit.",
      ...number(mpesa('254703456109'))
    },
    {
      code: 'WALLET_LIMIT_REACHED',
      kinds: outgoing,
      when: "The recipient's wallet is full.",
      ...number(mpesa('254703456099'))
    },
    {
      code: 'WALLET_LIMIT_REACHED',
      kinds: ['deposit', 'splitPayment'],
      when: "The customer's wallet has reached a limit.",
      ...fails('WALLET_LIMIT_REACHED')
    },
    {
      code: 'MANUALLY_CANCELLED',
      kinds: outgoing,
      when: 'The merchant cancelled it while it was ENQUEUED.',
      ...cancelled
    },
    {
      code: 'PAWAPAY_WALLET_OUT_OF_FUNDS',
      kinds: outgoing,
      when:
        'The wallet of the account ran out after the payment was accepted; the mock reserves ' +
        'the money, so this needs a scenario.',
      ...fails('PAWAPAY_WALLET_OUT_OF_FUNDS')
    },
    {
      code: 'DEPOSIT_ALREADY_REFUNDED',
      kinds: ['refund'],
      when: 'Nothing was left of the deposit. The mock already rejects such a refund.',
      ...fails('DEPOSIT_ALREADY_REFUNDED')
    },
    {
      code: 'AMOUNT_TOO_LARGE',
      kinds: ['refund'],
      when: 'Less was left of the deposit. The mock already rejects such a refund.',
      ...fails('AMOUNT_TOO_LARGE')
    },
    {
      code: 'REFUND_IN_PROGRESS',
      kinds: ['refund'],
      when: 'Another refund was not final. The mock already rejects such a refund.',
      ...fails('REFUND_IN_PROGRESS')
    },
    {
      code: 'UNSPECIFIED_FAILURE',
      kinds: ['deposit', 'splitPayment'],
      when: 'The provider gave no reason.',
      ...number(mtn('260763456069'))
    },
    {
      code: 'UNSPECIFIED_FAILURE',
      kinds: outgoing,
      when: 'The provider gave no reason.',
      ...number(mtn('260763456119'))
    },
    { code: 'UNKNOWN_ERROR', kinds: all, when: 'Nobody knows why.', ...fails('UNKNOWN_ERROR') }
  ]),
  ...rows('v1 rejections', [
    {
      code: 'INVALID_PAYER_FORMAT',
      kinds: ['deposit'],
      when: "The number is not one of the correspondent's country.",
      ...foreign
    },
    {
      code: 'INVALID_RECIPIENT_FORMAT',
      kinds: ['payout'],
      when: "The number is not one of the correspondent's country.",
      ...foreign
    },
    {
      code: 'INVALID_CORRESPONDENT',
      kinds: ['deposit', 'payout'],
      when: 'The correspondent does not exist, or the account does not have it.',
      ...field('correspondent', 'NOPE_ZMB')
    },
    {
      code: 'INVALID_AMOUNT',
      kinds: earlier,
      when: 'The amount has more decimals than the correspondent takes.',
      ...field('amount', '5.555')
    },
    {
      code: 'AMOUNT_TOO_SMALL',
      kinds: earlier,
      when: 'The amount is below the minimum of the correspondent.',
      ...field('amount', '0.5')
    },
    {
      code: 'AMOUNT_TOO_LARGE',
      kinds: ['deposit', 'payout'],
      when: 'The amount is above the maximum of the correspondent.',
      ...field('amount', '20000.01')
    },
    {
      code: 'AMOUNT_TOO_LARGE',
      kinds: ['refund'],
      when: 'The amount is more than is left of the deposit.',
      ...refundOf('refund `15.01` of a deposit of `15`', (stage) => stage.deposit(), '15.01')
    },
    {
      code: 'INVALID_CURRENCY',
      kinds: ['deposit', 'payout'],
      when: 'The correspondent does not take the currency.',
      ...field('currency', 'USD')
    },
    {
      code: 'INVALID_CURRENCY',
      kinds: ['refund'],
      when: 'Never by itself: a refund of this version names no currency.',
      ...rejects('INVALID_CURRENCY')
    },
    {
      code: 'INVALID_COUNTRY',
      kinds: ['deposit', 'payout'],
      when: 'The country is not that of the correspondent.',
      ...field('country', 'UGA')
    },
    {
      code: 'INVALID_COUNTRY',
      kinds: ['refund'],
      when: 'Never by itself: a refund names no country.',
      ...rejects('INVALID_COUNTRY')
    },
    {
      code: 'PARAMETER_INVALID',
      kinds: ['payout'],
      operations: ['element'],
      when: 'One of many breaks the rule of a field; the others stand.',
      ...messages.v1
    },
    {
      code: 'PARAMETER_INVALID',
      kinds: earlier,
      when: 'A field breaks its rule; by itself that is HTTP 400 with errorCode `1`.',
      ...rejects('PARAMETER_INVALID')
    },
    {
      code: 'INVALID_INPUT',
      kinds: ['payout'],
      operations: ['element'],
      when: 'One of many is no object; the others stand.',
      ...say('send `["nonsense"]`', (stage, operation) => stage.send(operation, 'nonsense'))
    },
    {
      code: 'INVALID_INPUT',
      kinds: earlier,
      when: 'The body cannot be read; by itself that is HTTP 400 with errorCode `1`.',
      ...rejects('INVALID_INPUT')
    },
    {
      code: 'DEPOSITS_NOT_ALLOWED',
      kinds: ['deposit'],
      when: 'Deposits are switched off for the account or the correspondent.',
      ...account('an account with `operations: [PAYOUT]`', tokens.noDeposits)
    },
    {
      code: 'PAYOUTS_NOT_ALLOWED',
      kinds: ['payout'],
      when: 'Payouts are switched off for the account or the correspondent.',
      ...account('an account with `operations: [DEPOSIT]`', tokens.depositsOnly)
    },
    {
      code: 'REFUNDS_NOT_ALLOWED',
      kinds: ['refund'],
      when: 'Refunds are switched off for the account or the correspondent.',
      ...account('an account with `operations: [DEPOSIT]`', tokens.depositsOnly)
    },
    {
      code: 'CORRESPONDENT_TEMPORARILY_UNAVAILABLE',
      kinds: earlier,
      when:
        'The correspondent is CLOSED for this operation; deposits are also rejected while it ' +
        'is DELAYED.',
      ...outage('`{ "DEPOSIT": "CLOSED" }`, or `PAYOUT`, `REFUND`')
    },
    {
      code: 'BALANCE_INSUFFICIENT',
      kinds: ['payout', 'refund'],
      when: 'The wallet of the account holds less than the amount.',
      ...penniless
    },
    {
      code: 'DEPOSIT_NOT_FOUND',
      kinds: ['refund'],
      when: 'There is no such deposit.',
      ...refundOf('a `depositId` that nobody made', async () => id())
    },
    {
      code: 'DEPOSIT_NOT_COMPLETED',
      kinds: ['refund'],
      when: 'The deposit is not COMPLETED.',
      ...refundOf('refund a deposit right after its initiation, or one that FAILED', unfinished)
    },
    {
      code: 'ALREADY_REFUNDED',
      kinds: ['refund'],
      when: 'Nothing is left of the deposit.',
      ...refundOf('refund a deposit again, once its refund is COMPLETED', refunded(true))
    },
    {
      code: 'IN_PROGRESS',
      kinds: ['refund'],
      when: 'Another refund of the deposit is not final yet.',
      ...refundOf('refund a deposit twice at once', refunded(false))
    }
  ]),
  ...rows('v1 failures', [
    {
      code: 'PAYER_NOT_FOUND',
      kinds: ['deposit'],
      when: 'The number belongs to no customer of the correspondent.',
      ...number(mtn('260763456029'))
    },
    {
      code: 'PAYMENT_NOT_APPROVED',
      kinds: ['deposit'],
      when: 'The customer did not approve.',
      ...number(mtn('260763456039'))
    },
    {
      code: 'PAYER_LIMIT_REACHED',
      kinds: ['deposit'],
      when: "The customer's wallet has reached a limit.",
      ...number(mtn('260763456019'))
    },
    {
      code: 'INSUFFICIENT_BALANCE',
      kinds: ['deposit'],
      when: 'The customer has not enough money.',
      ...number(airtel('260973456049'))
    },
    {
      code: 'TRANSACTION_ALREADY_IN_PROCESS',
      kinds: ['deposit'],
      when: 'The customer has another transaction in process.',
      ...number(mpesa('254703456059'))
    },
    {
      code: 'OTHER_ERROR',
      kinds: ['deposit'],
      when: 'The correspondent gave no reason.',
      ...number(mtn('260763456069'))
    },
    {
      code: 'OTHER_ERROR',
      kinds: ['payout', 'refund'],
      when: 'The correspondent gave no reason.',
      ...number(mtn('260763456119'))
    },
    {
      code: 'BALANCE_INSUFFICIENT',
      kinds: ['payout', 'refund'],
      when:
        'The wallet of the account ran out after the payment was accepted; the mock reserves ' +
        'the money, so this needs a scenario.',
      ...fails('PAWAPAY_WALLET_OUT_OF_FUNDS')
    },
    {
      code: 'RECIPIENT_NOT_FOUND',
      kinds: ['payout', 'refund'],
      when: 'The number belongs to no customer of the correspondent.',
      ...number(mtn('260763456079'))
    },
    {
      code: 'RECIPIENT_NOT_ALLOWED_TO_RECEIVE',
      kinds: ['payout', 'refund'],
      when: "The recipient's wallet is full.",
      ...number(mpesa('254703456099'))
    },
    {
      code: 'RECIPIENT_LIMIT_REACHED',
      kinds: ['payout'],
      when: "The recipient's wallet has reached a limit.",
      ...number(mpesa('254703456109'))
    },
    {
      code: 'MANUALLY_CANCELLED',
      kinds: ['payout'],
      when: 'The merchant cancelled it while it was ENQUEUED.',
      ...cancelled
    }
  ]),
  ...rows('v1 errors', [
    { code: '0', http: 500, kinds: earlier, when: 'The service itself failed.', ...errs },
    {
      code: '1',
      http: 400,
      kinds: earlier,
      when: 'A field is missing or breaks its rule.',
      ...field('metadata', 'x')
    },
    {
      code: '1',
      http: 400,
      kinds: earlier,
      operations: ['initiate', 'bulk'],
      when: 'The body cannot be read.',
      ...unreadable
    },
    {
      code: '1',
      http: 400,
      kinds: earlier,
      operations: ['find', 'resend', 'cancel'],
      when: 'The identifier is not one.',
      ...wrongPath
    },
    {
      code: '2',
      http: 401,
      kinds: earlier,
      operations: everything,
      when: 'The token is missing or not known.',
      ...nobody
    },
    ...elsewhere('v1', nobody.how, 'Bearer nobody', {
      code: '2',
      http: 401,
      when: 'The token is missing or not known.'
    }),
    {
      code: '2',
      http: 401,
      kinds: earlier,
      operations: ['initiate', 'bulk'],
      when: 'The account takes signed requests only, and this one is not signed well.',
      ...unsigned
    },
    {
      code: '3',
      http: 403,
      kinds: earlier,
      operations: everything,
      when: 'The token is known, but may not do this.',
      ...idle
    },
    ...elsewhere('v1', 'a token with `allow: []`', `Bearer ${tokens.nothing}`, {
      code: '3',
      http: 403,
      when: 'The token is known, but may not do this.'
    })
  ])
]

/**
 * Every code the public record of the API lists, typed in from there, with the kinds it is listed
 * for.
 */
const listed: Record<Section, Array<[codes: string, kinds?: readonly KindName[]]>> = {
  'v2 answers': [
    ['NO_AUTHENTICATION AUTHENTICATION_ERROR AUTHORISATION_ERROR HTTP_SIGNATURE_ERROR', all],
    [
      'INVALID_INPUT MISSING_PARAMETER UNSUPPORTED_PARAMETER INVALID_PARAMETER ' +
        'DUPLICATE_METADATA_FIELD',
      all
    ],
    ['DEPOSITS_NOT_ALLOWED', ['deposit']],
    ['PAYOUTS_NOT_ALLOWED', ['payout']],
    ['REFUNDS_NOT_ALLOWED', ['refund']],
    ['REMITTANCES_NOT_ALLOWED', ['remittance']],
    ['SPLIT_PAYMENTS_NOT_ALLOWED', ['splitPayment']],
    [
      'AMOUNT_OUT_OF_BOUNDS INVALID_AMOUNT INVALID_PHONE_NUMBER INVALID_CURRENCY ' +
        'INVALID_PROVIDER PROVIDER_TEMPORARILY_UNAVAILABLE',
      all
    ],
    ['PAWAPAY_WALLET_OUT_OF_FUNDS', outgoing],
    ['NOT_FOUND INVALID_STATE', ['deposit', ...outgoing]],
    ['AMOUNT_TOO_LARGE DEPOSIT_ALREADY_REFUNDED REFUND_IN_PROGRESS', ['refund']],
    ['PAYOUT_EXCEEDS_DEPOSIT', ['splitPayment']],
    ['INVALID_CALLBACK_URL INVALID_DATE_RANGE WALLET_NOT_FOUND'],
    ['UNKNOWN_ERROR', all]
  ],
  'v2 failures': [
    [
      'PAYMENT_NOT_APPROVED INSUFFICIENT_BALANCE PAYMENT_IN_PROGRESS PAYER_NOT_FOUND ' +
        'PAYER_LIMIT_REACHED TRANSACTION_ALREADY_IN_PROCESS',
      ['deposit']
    ],
    ['RECIPIENT_NOT_FOUND', outgoing],
    ['RECIPIENT_LIMIT_REACHED', ['payout']],
    ['WALLET_LIMIT_REACHED UNSPECIFIED_FAILURE UNKNOWN_ERROR', all],
    ['MANUALLY_CANCELLED', outgoing],
    ['PAWAPAY_WALLET_OUT_OF_FUNDS', ['payout', 'refund']],
    ['DEPOSIT_ALREADY_REFUNDED AMOUNT_TOO_LARGE REFUND_IN_PROGRESS', ['refund']]
  ],
  'v1 rejections': [
    [
      'INVALID_PAYER_FORMAT INVALID_CORRESPONDENT INVALID_AMOUNT AMOUNT_TOO_SMALL ' +
        'AMOUNT_TOO_LARGE INVALID_CURRENCY INVALID_COUNTRY PARAMETER_INVALID INVALID_INPUT ' +
        'DEPOSITS_NOT_ALLOWED CORRESPONDENT_TEMPORARILY_UNAVAILABLE',
      ['deposit']
    ],
    [
      'BALANCE_INSUFFICIENT INVALID_CORRESPONDENT INVALID_RECIPIENT_FORMAT INVALID_AMOUNT ' +
        'AMOUNT_TOO_SMALL AMOUNT_TOO_LARGE INVALID_CURRENCY INVALID_COUNTRY PARAMETER_INVALID ' +
        'INVALID_INPUT PAYOUTS_NOT_ALLOWED CORRESPONDENT_TEMPORARILY_UNAVAILABLE',
      ['payout']
    ],
    [
      'DEPOSIT_NOT_FOUND DEPOSIT_NOT_COMPLETED ALREADY_REFUNDED IN_PROGRESS INVALID_AMOUNT ' +
        'AMOUNT_TOO_SMALL AMOUNT_TOO_LARGE PARAMETER_INVALID INVALID_INPUT REFUNDS_NOT_ALLOWED ' +
        'CORRESPONDENT_TEMPORARILY_UNAVAILABLE INVALID_CURRENCY INVALID_COUNTRY',
      ['refund']
    ]
  ],
  'v1 failures': [
    [
      'PAYER_NOT_FOUND PAYMENT_NOT_APPROVED PAYER_LIMIT_REACHED INSUFFICIENT_BALANCE ' +
        'TRANSACTION_ALREADY_IN_PROCESS OTHER_ERROR',
      ['deposit']
    ],
    [
      'BALANCE_INSUFFICIENT RECIPIENT_NOT_FOUND RECIPIENT_NOT_ALLOWED_TO_RECEIVE ' +
        'RECIPIENT_LIMIT_REACHED MANUALLY_CANCELLED OTHER_ERROR',
      ['payout']
    ],
    [
      'BALANCE_INSUFFICIENT RECIPIENT_NOT_FOUND RECIPIENT_NOT_ALLOWED_TO_RECEIVE OTHER_ERROR',
      ['refund']
    ]
  ],
  'v1 errors': [['0 1 2 3', earlier]]
}

/** Codes that only a setting makes, with the setting. */
const exceptions: Record<string, string> = {
  NO_AUTHENTICATION:
    'Only if the default account has `authErrors: public`. By default, a missing token is ' +
    '`AUTHENTICATION_ERROR`, as an unknown one is (decisions 1 and 65).'
}

/** Operations of a kind in a version. */
function possible (version: Version, name: KindName, operation: Operation): boolean {
  const actions = { v1, v2 }[version].codecs[name]?.actions ?? {}
  if (operation === 'initiate' || operation === 'find') return true
  return actions[operation === 'element' ? 'bulk' : operation] === true
}

/** A recipe for one kind and one operation. */
interface Row extends Recipe {
  name?: KindName
  operation: Operation
}

const everyRow = table.flatMap((recipe): Row[] =>
  recipe.kinds === undefined
    ? [{ ...recipe, operation: 'initiate' as const }]
    : recipe.kinds.flatMap((name) =>
      (recipe.operations ?? ['initiate'])
        .filter((operation) => possible(sections[recipe.section], name, operation))
        .map((operation) => ({ ...recipe, name, operation }))
    )
)

/** The keys of a refusal, in the order of the alphabet. */
function keysOf ({ section, http, name, operation, keys }: Row): string[] {
  if (section === 'v1 errors') return ['errorCode', 'errorId', 'errorMessage']
  if (keys !== undefined) return [...keys].sort()
  const own = name === undefined || operation === 'bulk' ? [] : [kinds[name].idField]
  if (section === 'v1 rejections') return [...own, 'rejectionReason', 'status'].sort()
  return [...own, 'failureReason', ...(http < 500 ? ['status'] : [])].sort()
}

/** The keys of the record of a payment that failed. */
const recordKeys: Record<Version, (row: Row) => string[]> = {
  v2: ({ name }) =>
    [
      kinds[name!].idField,
      kinds[name!].party,
      'amount',
      'country',
      'created',
      'currency',
      'customerMessage',
      'failureReason',
      'metadata',
      'status',
      ...(name === 'remittance' ? ['sender'] : ['clientReferenceId']),
      ...(name === 'splitPayment' ? ['splits'] : [])
    ].sort(),
  v1: ({ name }) =>
    [
      kinds[name!].idField,
      kinds[name!].party,
      name === 'deposit' ? 'requestedAmount' : 'amount',
      'correspondent',
      'country',
      'created',
      'currency',
      'customerTimestamp',
      'failureReason',
      'metadata',
      'statementDescription',
      'status'
    ].sort()
}

/**
 * A refusal: its status, its keys, its code, the identifier it was asked with; and nothing was
 * made.
 */
async function checkRefusal (
  t: Test,
  row: Row,
  { status, body }: Answer,
  stage: Stage,
  title: string
): Promise<void> {
  const answer = row.operation === 'element' ? body[0] : body
  const reason = answer.failureReason ?? answer.rejectionReason ?? answer
  const [code, message, ...more] = Object.keys(reason)
    .sort()
    .filter((key) => key !== 'errorId')
  t.strictSame(
    {
      status,
      keys: Object.keys(answer).sort(),
      says: answer.status,
      code: String(reason[code]),
      more,
      own: answer[stage.kind.idField]
    },
    {
      status: row.http,
      keys: keysOf(row),
      says: keysOf(row).includes('status') ? 'REJECTED' : undefined,
      code: row.code,
      more: [],
      own: keysOf(row).includes(stage.kind.idField) ? stage.own : undefined
    },
    title
  )
  t.match(reason[message], /\w/, 'in words')
  if (row.operation === 'initiate' && /^[0-9a-f-]{36}$/.test(stage.own)) {
    t.equal(await stage.record(), undefined, 'nothing was made')
  }
}

/** An accepted payment fails. The record has the code, and one callback has the same body. */
async function checkFailure (
  t: Test,
  row: Row,
  { body }: Answer,
  stage: Stage,
  callbacks: () => any[],
  title: string
): Promise<void> {
  t.match(body, { [stage.kind.idField]: stage.own, status: /^(ACCEPTED|ENQUEUED)$/ }, title)
  await stage.idle()
  const record = await stage.record()
  t.strictSame(
    {
      keys: Object.keys(record).sort(),
      status: record.status,
      code: record.failureReason?.failureCode
    },
    { keys: recordKeys[stage.version](row), status: 'FAILED', code: row.code },
    title
  )
  t.strictSame(
    callbacks().filter((callback) => callback[stage.kind.idField] === stage.own),
    [record],
    'the callback'
  )
}

t.test('every code can be reached', long, async (t) => {
  const merchant = await receiver(t)
  const mock = await build(t, { callbackUrl: merchant.url, clock: 'frozen', accounts })
  for (const [n, row] of everyRow.entries()) {
    const place = `${row.name ?? row.where} ${row.operation}`
    const title = `${row.section}: ${row.code}, ${place}: ${row.how}`
    const stage = new Stage(mock, `sandbox-${n}`, sections[row.section], row.name ?? 'deposit')
    const answer = await row.ask(stage, row.operation)
    if (row.section.endsWith('failures')) {
      await checkFailure(
        t,
        row,
        answer,
        stage,
        () => merchant.received.map(({ body }) => body),
        title
      )
    } else await checkRefusal(t, row, answer, stage, title)
  }
})

t.test('every public code has a row or a reason for its absence', async (t) => {
  const rows = new Set(
    everyRow.map(({ section, code, name }) => `${section} ${code} ${name ?? ''}`)
  )
  const wanted = Object.entries(listed).flatMap(([section, list]) =>
    list.flatMap(([codes, kinds = ['']]) =>
      codes
        .split(' ')
        .flatMap((code) => kinds.map((name) => ({ code, row: `${section} ${code} ${name}` })))
    )
  )
  t.strictSame(
    wanted.filter(({ code, row }) => !rows.has(row) && !(code in exceptions)).map(({ row }) => row),
    [],
    'listed, and no row'
  )
  t.strictSame(
    wanted.filter(({ code, row }) => rows.has(row) && code in exceptions),
    [],
    'excepted, and a row'
  )
  for (const code of Object.keys(exceptions)) {
    t.ok(
      wanted.some((one) => one.code === code),
      `${code} is listed`
    )
  }
  const known = new Set(wanted.map(({ code }) => code))
  t.strictSame(
    everyRow.filter(({ code }) => !known.has(code)).map(({ code }) => code),
    [],
    'a row, and not listed'
  )
})

t.test('v1 uses only its own failure codes', long, async (t) => {
  const { call } = await build(t, { clock: 'frozen' })
  for (const name of earlier) {
    const words = listed['v1 failures']
      .filter(([, list]) => list?.includes(name))
      .flatMap(([codes]) => codes.split(' '))
    for (const [failureCode, { kinds: own }] of Object.entries(failures)) {
      // The current version can cancel a refund of the earlier one.
      if (!(own as readonly string[]).includes(name) || failureCode === 'MANUALLY_CANCELLED') {
        continue
      }
      const stage = new Stage({ call } as Client, `sandbox-${name}-${failureCode}`, 'v1', name)
      await fails(failureCode).ask(stage, 'initiate')
      await stage.idle()
      const code = (await stage.record()).failureReason.failureCode
      if (!words.includes(code)) t.fail(`${name}: ${failureCode} is ${code}`)
    }
  }
})

t.test('a rejection by a scenario looks like a real one', async (t) => {
  const { call } = await build(t, { clock: 'frozen' })
  const natural = new Set(
    table
      .filter(({ section }) => section === 'v2 answers')
      .map(({ http, code }) => `${http} ${code}`)
  )
  const words = new Set(
    table.filter(({ section }) => section === 'v1 rejections').map(({ code }) => code)
  )
  for (const [version, names] of [
    ['v1', earlier],
    ['v2', except(all, 'splitPayment')]
  ] as const) {
    for (const name of names) {
      for (const reject of rejectionsOf(name)) {
        const stage = new Stage(
          { call } as Client,
          `sandbox-${version}-${name}-${reject}`,
          version,
          name
        )
        const { status, body } = await rejects(reject).ask(stage, 'initiate')
        const code = body.failureReason?.failureCode ?? body.rejectionReason.rejectionCode
        const usual =
          version === 'v2' ? natural.has(`${status} ${code}`) : status === 200 && words.has(code)
        const own =
          !code.endsWith('_NOT_ALLOWED') || code === `${stage.kind.path.toUpperCase()}_NOT_ALLOWED`
        if (!usual || !own) t.fail(`${version} ${name}: ${reject} is ${status} ${code}`)
      }
    }
  }
})

const page = new URL('../../docs/codes.md', import.meta.url)

/** Describes the requests of a recipe. */
function whereOf ({ section, kinds: names, operations = ['initiate'], where }: Recipe): string {
  if (names === undefined) return where!
  const every = sections[section] === 'v2' ? all : earlier
  const able = names.filter((name) =>
    operations.some((operation) => possible(sections[section], name, operation))
  )
  const kindWords =
    able.length === every.length
      ? 'all kinds'
      : able.map((name) => kinds[name].path.replace('-', ' ')).join(', ')
  const words: Record<Operation, string> = {
    initiate: 'initiation',
    element: 'one of a bulk request',
    bulk: 'bulk',
    find: 'status check',
    resend: 'resend',
    cancel: 'cancel'
  }
  if (operations.length === everything.length) return `${kindWords}, all operations`
  return operations.length === 1 && operations[0] === 'initiate'
    ? kindWords
    : `${kindWords}: ${operations.map((operation) => words[operation]).join(', ')}`
}

/** The table of a section as the document must have it. */
function tableOf (section: Section): string {
  const failed = section.endsWith('failures')
  const head = failed
    ? ['Code', 'Where', 'When', 'How to get it']
    : ['Code', 'HTTP', 'Where', 'When', 'How to get it']
  const line = (cells: string[]): string => `| ${cells.join(' | ')} |`
  const rows = table
    .filter((recipe) => recipe.section === section)
    .map((recipe) =>
      line([
        `\`${recipe.code}\``,
        ...(failed ? [] : [String(recipe.http)]),
        whereOf(recipe),
        recipe.when,
        recipe.how.replaceAll('|', '\\|')
      ])
    )
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows].join('\n')
}

/** The document with the tables as they must be. */
function corrected (text: string): string {
  const tables: Array<[section: string, table: string]> = [
    ...(Object.keys(sections) as Section[]).map((section): [string, string] => [
      section,
      tableOf(section)
    ]),
    ['customers', customerTable('en', ['Code', 'Sentence'])]
  ]
  return tables.reduce((text, [section, table]) => {
    const [begin, end] = [`<!-- ${section} -->\n`, `<!-- /${section} -->`]
    const before = text.slice(0, text.indexOf(begin) + begin.length)
    return `${before}${table}\n${text.slice(text.indexOf(end))}`
  }, text)
}

/** Texts for customers in a language; codes with the same text share a row. */
function customerTable (language: 'en' | 'fr', head: [codes: string, text: string]): string {
  const groups = Map.groupBy(Object.entries(customerTexts), ([, texts]) => texts[language])
  return [
    `| ${head.join(' | ')} |`,
    '|---|---|',
    ...[...groups].map(
      ([text, group]) => `| ${group.map(([code]) => `\`${code}\``).join(', ')} | ${text} |`
    )
  ].join('\n')
}

const frenchPage = new URL('../../docs/fr/customer-texts.md', import.meta.url)

/** The French page with its table as it must be. */
function correctedFrench (text: string): string {
  return text.replace(
    /(<!-- customers -->\n)[^]*(<!-- \/customers -->)/,
    (_, begin, end) => `${begin}${customerTable('fr', ['Code', 'Phrase'])}\n${end}`
  )
}

// As with any snapshot: tap run --snapshot writes the tables anew.
if (process.env.TAP_SNAPSHOT === '1') {
  writeFileSync(page, corrected(readFileSync(page, 'utf8')))
  writeFileSync(frenchPage, correctedFrench(readFileSync(frenchPage, 'utf8')))
}
const document = readFileSync(page, 'utf8')

t.test('docs/codes.md has the tables of this test', async (t) => {
  for (const section of Object.keys(sections)) t.match(document, `<!-- ${section} -->\n|`)
  t.equal(document, corrected(document))
  const french = readFileSync(frenchPage, 'utf8')
  t.equal(french, correctedFrench(french), 'and the French one')
})

t.test('docs/codes.md names exactly the existing codes', async (t) => {
  const providers = Object.values(shippedCatalogue).flatMap(({ providers }) =>
    Object.keys(providers)
  )
  const others = new Set([...providers, ...statuses, 'NOPE_ZMB'])
  const said = new Set(
    [...document.matchAll(/\b[A-Z]+(?:_[A-Z]+)+\b/g)]
      .map(([word]) => word)
      .filter((word) => !others.has(word))
  )
  const codes = new Set([
    ...table.map(({ code }) => code).filter((code) => code.includes('_')),
    ...Object.keys(exceptions)
  ])
  t.strictSame([...said].sort(), [...codes].sort())
  for (const [code, reason] of Object.entries(exceptions)) {
    t.match(document, `| \`${code}\` | ${reason} |`)
  }
})

t.test('each code has a sentence for customers: page, admin call and package agree', async (t) => {
  const { call } = await build(t)
  const { codes } = (await call('GET', '/__admin/codes')).body
  t.strictSame(
    Object.fromEntries(codes.map(({ code, customer }: any) => [code, customer])),
    customerTexts
  )
  t.strictSame((await import('../../src/index.ts')).customerTexts, customerTexts)
  const kindsOf = (code: string) => codes.find((one: any) => one.code === code)
  t.match(kindsOf('INSUFFICIENT_BALANCE'), { fails: ['deposit'], rejects: { length: 0 } })
  t.match(kindsOf('INVALID_PHONE_NUMBER'), { fails: { length: 0 }, rejects: /deposit/ })
  for (const { en, fr } of Object.values(customerTexts)) {
    t.match([en, fr], [/^[A-Z][^.]*[.]$/, /^[A-ZÀ-Ü][^.]*[.]$/], 'one sentence')
  }
  const missing = [...document.matchAll(/^\| `([A-Z_]+)` \|/gm)]
    .map(([, code]) => code)
    .filter((code) => !(code in customerTexts))
  const ofStatements = ['INVALID_CALLBACK_URL', 'INVALID_DATE_RANGE', 'WALLET_NOT_FOUND']
  t.strictSame(missing, ofStatements, 'no code of a payment')
})
