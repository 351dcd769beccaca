import type { FastifyReply, FastifyRequest } from 'fastify'
import { readTexts } from '../forms.ts'
import { languages, type Language } from './texts.ts'

/**
 * Which language a page is in: what its customer chose counts more than what the merchant asked
 * for.
 */

const cookieName = 'momock_language'

/**
 * The language of an answer. A choice made in the address is kept for as long as the browser is
 * open.
 */
export function languageFor (
  request: FastifyRequest,
  reply: FastifyReply,
  wanted?: string
): Language {
  const asked = knownLanguage((request.query as Record<string, unknown>).lang)
  if (asked !== undefined) {
    reply.header('set-cookie', `${cookieName}=${asked}; Path=/; HttpOnly; SameSite=Lax`)
    return asked
  }
  const [, kept] =
    new RegExp(`(?:^|;\\s*)${cookieName}=(\\w+)`).exec(request.headers.cookie ?? '') ?? []
  return knownLanguage(kept) ?? knownLanguage(wanted?.toLowerCase()) ?? 'en'
}

/** The address of a page in another language, with whatever else its address said. */
export function inLanguage (path: string, { query }: FastifyRequest, language: Language): string {
  return `${path}?${new URLSearchParams({ ...readTexts(query as object), lang: language }).toString()}`
}

function knownLanguage (value: unknown): Language | undefined {
  return languages.find((language) => language === value)
}
