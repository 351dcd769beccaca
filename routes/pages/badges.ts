import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { Catalogue } from '../../src/domain/catalogue.ts'
import type { Pictures } from '../../src/wire/toolkit.ts'

/** A picture stays the same as long as the catalogue does. */
const maxAgeInSeconds = 3600

/** Where the badges are, on this server. */
export function badgePictures (base: () => string): Pictures {
  return {
    flag: (country) => `${base()}/static/flags/${country.toLowerCase()}.svg`,
    logo: (provider) => `${base()}/static/logos/${provider.toLowerCase()}.svg`
  }
}

/** A name in so few letters that they fit into a small square. */
const shortName = 3

/**
 * Flags, logos and small marks as plain badges of our own, so that a page that shows them works
 * without the network.
 */
export function badgeRoutes (app: FastifyInstance, { countries, providers }: Catalogue): void {
  const drawings: Record<string, (code: string) => string | undefined> = {
    flags: (code) => (countries.has(code) ? badge(code, code, 48) : undefined),
    logos: (code) => {
      const provider = providers.get(code)
      return provider && badge(code.split('_')[0], provider.displayName, 120)
    },
    marks: (code) => {
      const provider = providers.get(code)
      return (
        provider &&
        badge(
          code.split('_')[0],
          provider.displayName.length <= shortName
            ? provider.displayName
            : provider.displayName.slice(0, 1),
          32
        )
      )
    }
  }
  for (const [folder, draw] of Object.entries(drawings)) {
    app.get(
      `/static/${folder}/:file`,
      { config: { documentation: 'hidden' } },
      async (request, reply) => {
        const { file } = request.params as { file: string }
        const drawn = file.endsWith('.svg') ? draw(file.slice(0, -4).toUpperCase()) : undefined
        if (drawn === undefined) return reply.callNotFound()
        return await reply
          .type('image/svg+xml')
          .header('cache-control', `public, max-age=${maxAgeInSeconds}`)
          .send(drawn)
      }
    )
  }
}

/**
 * Which bytes of a digest decide the colour: these keep the brands of every country of the
 * catalogue apart.
 */
const colourAt = 6

/** The colour follows from the name, so that one brand looks the same in every country. */
function badge (name: string, text: string, width: number): string {
  const hue = createHash('sha256').update(name).digest().readUInt16BE(colourAt) % 360
  // As large as the text fits.
  const size = Math.round(Math.min(14, ((width - 8) / text.length) * 1.4))
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} 32" width="${width}" ` +
    `height="32" role="img" aria-label="${escape(text)}">` +
    `<rect width="${width}" height="32" rx="4" fill="hsl(${hue} 60% 35%)"/>` +
    `<text x="${width / 2}" y="21" font-family="sans-serif" font-size="${size}" ` +
    `font-weight="bold" text-anchor="middle" fill="#fff">${escape(text)}</text></svg>`
  )
}

function escape (text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
