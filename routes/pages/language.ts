import Negotiator from 'negotiator'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { languages, type Language } from './templates/texts.ts'

const cookieName = 'momock_language'
const cookiePattern = new RegExp(`(?:^|;\\s*)${cookieName}=(\\w+)`)

/**
 * Chooses the language of a page: the one in the address, the one chosen earlier, the merchant's,
 * the browser's, or English. A language in the address is kept in a cookie until the browser is
 * closed.
 */
export function chooseLanguage (
  { headers }: FastifyRequest,
  reply: FastifyReply,
  asked: string | undefined,
  merchantLanguage: string | undefined
): Language {
  const chosen = findLanguage(asked)
  if (chosen !== undefined) {
    reply.header('set-cookie', `${cookieName}=${chosen}; Path=/; HttpOnly; SameSite=Lax`)
    return chosen
  }
  const [, kept] = cookiePattern.exec(headers.cookie ?? '') ?? []
  return (
    findLanguage(kept) ??
    findLanguage(merchantLanguage?.toLowerCase()) ??
    findLanguage(new Negotiator({ headers }).language(languages)) ??
    'en'
  )
}

function findLanguage (value: string | undefined): Language | undefined {
  return languages.find((language) => language === value)
}
