import { longestSandboxName, sandboxPrefix } from '../accounts/settings-checks.ts'
import { readVersion } from '../domain/api-version.ts'
import type { AccountSettings } from '../domain/account-settings.ts'
import { type Catalogue } from '../domain/catalogue.ts'
import { failuresOf } from '../domain/failures.ts'
import type { FixturePayment } from '../services/fixture.ts'
import { kinds } from '../domain/kinds.ts'
import { suggestCode } from '../scenarios/script-checks.ts'
import { statusesOf } from '../domain/status.ts'
import { createValidator, findNearest } from '../lib/validator.ts'
import type { FileProblem } from '../lib/yaml-file.ts'
import { v1 } from '../wire/v1/wire.ts'
import { v2 } from '../wire/v2/wire.ts'
import { ConfigError, problemOf, type Config } from './config.ts'

/** Checks of fixtures that their schema cannot make, without a ledger. */

const wires = { v1, v2 }

/** Throws a ConfigError that names every problem of the fixtures. */
export function checkFixtures (
  { fixtures = [] }: Config,
  accounts: readonly AccountSettings[],
  catalogue: Catalogue
): void {
  const problems = fixtures.flatMap(({ account, payments = [], wallets = [] }, index) => {
    const path = `fixtures.${index}`
    return [
      ...checkAccount(account, `${path}.account`, accounts),
      ...payments.flatMap((payment, n) => checkPayment(payment, `${path}.payments.${n}`)),
      ...wallets.flatMap(({ country, currency }, n) => {
        const providers = Object.values(catalogue.countries.get(country)?.providers ?? {})
        return providers.some(({ currencies }) => currency in currencies)
          ? []
          : [
              problemOf(
                `${path}.wallets.${n}`,
                `is no wallet: no provider in ${country} has ${currency}`
              )
            ]
      })
    ]
  })
  if (problems.length > 0) throw new ConfigError(problems)
}

function checkAccount (
  name: string | undefined,
  path: string,
  accounts: readonly AccountSettings[]
): FileProblem[] {
  const names = accounts.map((account) => account.name)
  if (name === undefined || names.includes(name)) return []
  const isSandbox = name.startsWith(sandboxPrefix) && name.length > sandboxPrefix.length
  if (isSandbox && name.length <= sandboxPrefix.length + longestSandboxName) return []
  const near = findNearest(name, names)
  return [
    problemOf(
      path,
      `'${name}' is neither an account of this file nor a sandbox token; ` +
        (near === undefined ? `use ${names.join(' or ')}` : `did you mean ${near}?`)
    )
  ]
}

function checkPayment (payment: FixturePayment, path: string): FileProblem[] {
  const { version = 'v2', status = 'COMPLETED', ...rest } = readVersion(payment)
  const { failureCode, at, ago, payer, request } = rest
  const kind = kinds[payment.kind]
  const codec = wires[version].codecs[kind.name]
  if (codec === undefined) {
    return [problemOf(`${path}.kind`, `'${kind.name}' is not part of ${version}; use v2`)]
  }
  const known = statusesOf(kind)
  const codes: readonly string[] = failuresOf(kind.name === 'splitPayment' ? 'payout' : kind.name)
  const hasFailed = status === 'FAILED' || status === 'PAYOUT_FAILED'
  const rules: Array<[field: string, isBroken: boolean, says: string]> = [
    ['status', !known.includes(status), `must be a status of a ${kind.name}: ${known.join(', ')}`],
    ['failureCode', failureCode !== undefined && !hasFailed, 'goes with the status FAILED'],
    [
      'failureCode',
      failureCode !== undefined && hasFailed && status === 'FAILED' && !isFailure(payment),
      `'${failureCode}' is not a failure of a ${kind.name}` +
        `${suggestCode(String(failureCode), codes)}: ${codes.join(', ')}`
    ],
    ['ago', at !== undefined && ago !== undefined, 'does not go with at; leave one of them out'],
    ['payer', payer !== undefined && kind !== kinds.checkout, 'goes with a checkout only']
  ]
  return [
    ...rules
      .filter(([, isBroken]) => isBroken)
      .map(([field, , says]) => problemOf(`${path}.${field}`, says)),
    ...createValidator(codec.request, 'request')
      .all(request)
      .map((problem) => ({
        path: `${path}.request${problem.path === '' ? '' : `.${problem.path}`}`,
        message: `${path}.request: ${problem.message}`
      }))
  ]
}

/** A split payment fails with the code of its deposit. */
function isFailure ({ kind, failureCode }: FixturePayment): boolean {
  const codes: readonly string[] = failuresOf(kind === 'splitPayment' ? 'deposit' : kind)
  return codes.includes(String(failureCode))
}
