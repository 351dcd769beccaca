import { kinds, type KindPath } from '../domain/kinds.ts'

/** The groups of operations, as the reference shows them. */
export const tags = {
  ...(Object.fromEntries(
    Object.values(kinds).map(({ path, about }) => [path, about])
  ) as Record<KindPath, string>),
  'payment-page': 'A hosted page on which a customer makes one deposit.',
  toolkit:
    'What is configured, what is available, which provider a number belongs to, and public keys.',
  finances: 'Wallet balances and statements.',
  customer:
    'What a customer does on the hosted pages, as JSON, so that a test needs no browser. The ' +
    'end of the path is the key.',
  admin: 'Admin calls. The real service does not have them.'
} as const

export type Tag = keyof typeof tags
