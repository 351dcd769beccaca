import { existsSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import t from 'tap'
import { blocksOf, read, root, translations, withoutCode } from './markdown.ts'

/** The French pages say what the English ones say: the same headings, code, tables and links. */

/** English page of a French one. */
const originals: Record<string, string> = {
  'docs/fr/README.md': 'README.md',
  'docs/fr/i-want-to.md': 'docs/i-want-to.md',
  'docs/fr/troubleshooting.md': 'docs/troubleshooting.md'
}
/** The other page of each page, to which a page may link in its introduction. */
const introduction = new Set([
  ...Object.entries(originals).flat(),
  'docs/fr/customer-texts.md',
  'docs/codes.md'
])

/** A page without the parts that are made from code, which only the English one has. */
function prose (document: string): string {
  return withoutCode(document).replace(/<!-- commands -->[^]*<!-- \/commands -->/, '')
}

/** What must be the same, section by section. */
function outline (document: string): Array<{ level: string; code: string[]; rows: number }> {
  const [before, ...sections] = prose(document).split(/^(?=#+ )/m)
  return [before, ...sections].map((section) => ({
    level: /^#+/.exec(section)?.[0] ?? '',
    code: [...section.matchAll(/(`+)([^]+?)\1/g)]
      .map(([, , code]) => code.replace(/\s+/g, ' '))
      .sort(),
    rows: [...section.matchAll(/^\|/gm)].length
  }))
}

function linksOf (document: string): string[] {
  return [...prose(document).matchAll(/(?:\]\(|<img src=")([^)\s"#]+)/g)]
    .map(([, link]) => normalize(join(dirname(document), link)))
    .map((path) => originals[path] ?? path)
    .filter((path) => !introduction.has(path))
    .sort()
}

t.test('each French page has an English one, or its own test', async (t) => {
  const others = ['docs/fr/customer-texts.md']
  t.strictSame([...translations].sort(), [...Object.keys(originals), ...others].sort())
})

for (const [french, english] of Object.entries(originals)) {
  t.test(`${french} equals ${english}: change both`, async (t) => {
    t.ok(existsSync(join(root, french)))
    t.strictSame(outline(french), outline(english), 'headings, code in sentences, rows of tables')
    const code = (document: string): string[] => blocksOf(document).map(({ text }) => text)
    t.strictSame(code(french), code(english), 'blocks of code')
    t.strictSame(linksOf(french), linksOf(english), 'links')
    t.not(read(french).split('\n')[2], read(english).split('\n')[2], 'and it is translated')
    t.notMatch(read(french), /(?<!\p{L})(tu|toi|ton|tes)(?!\p{L})/iu, 'it says vous')
  })
}
