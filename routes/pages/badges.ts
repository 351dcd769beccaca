import { createHash } from 'node:crypto'
import type { Catalogue } from '../../src/domain/catalogue.ts'
import { Type } from '../../src/lib/typebox.ts'
import type { Pictures } from '../../src/wire/toolkit.ts'
import type { TypedApp } from '../http/typed-app.ts'

const BadgePath = Type.Object({ file: Type.String() })

/** The pictures change only with the catalogue. */
const maxAgeInSeconds = 3600

/** URLs of the badges on this server. */
export function badgePictures (base: () => string): Pictures {
  return {
    flag: (country) => `${base()}/static/flags/${country.toLowerCase()}.svg`,
    logo: (provider) => `${base()}/static/logos/${provider.toLowerCase()}.svg`
  }
}

/** Largest number of letters that fit into a small square. */
const longestMark = 3

/** Serves flags, logos and small marks as plain badges, so that pages work without a network. */
export function badgeRoutes (
  app: TypedApp,
  { catalogue: { countries, providers } }: { catalogue: Catalogue }
): void {
  const drawings: Record<string, (code: string) => string | undefined> = {
    flags: (code) => (countries.has(code) ? drawBadge(code, code, 48) : undefined),
    logos: (code) => {
      const provider = providers.get(code)
      return provider && drawBadge(code.split('_')[0], provider.displayName, 120)
    },
    marks: (code) => {
      const provider = providers.get(code)
      return (
        provider &&
        drawBadge(
          code.split('_')[0],
          provider.displayName.length <= longestMark
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
      {
        config: { documentation: 'hidden', ignoresAccounts: true },
        schema: { params: BadgePath }
      },
      async ({ params: { file } }, reply) => {
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

/** Offset in the digest. With this one, the brands of each country have different colours. */
const colourAt = 6

/** Draws a badge. Its colour depends on the name, so a brand looks the same in every country. */
function drawBadge (name: string, text: string, width: number): string {
  const hue = createHash('sha256').update(name).digest().readUInt16BE(colourAt) % 360
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
