import { posix } from 'node:path'
import { Marked, type Tokens } from 'marked'
import { html, Html } from '../../src/lib/html.ts'
import { addressOf } from './library.ts'

/** Pages in Markdown as HTML: without pictures, and without markup of their own. */

/** What a link to a heading ends with, as on GitHub. */
export function anchorOf (heading: string): string {
  return heading
    .replace(/\]\([^)]*\)/g, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-')
}

/** Address of a link on a page; undefined if it leads to what the guide does not have. */
export function resolveLink (link: string, page: string): string | undefined {
  if (/^(https?:|#)/.test(link)) return link
  const [path, heading] = link.split('#')
  const address = addressOf(posix.join(posix.dirname(page), path).replace(/\/$/, ''))
  return address === undefined || heading === undefined ? address : `${address}#${heading}`
}

/** Renders a page. Links lead to the pages of the guide. */
export function renderMarkdown (text: string, page: string): Html {
  const marked = new Marked({
    renderer: {
      heading ({ tokens, depth, text }: Tokens.Heading): string {
        const content = new Html(this.parser.parseInline(tokens))
        return tag(`h${depth}`, content, html`id="${anchorOf(text)}"`)
      },
      link ({ href, tokens }: Tokens.Link): string {
        const content = new Html(this.parser.parseInline(tokens))
        const address = resolveLink(href, page)
        return address === undefined ? content.text : tag('a', content, html`href="${address}"`)
      },
      image: () => '',
      paragraph ({ tokens }: Tokens.Paragraph): string {
        const content = new Html(this.parser.parseInline(tokens))
        return content.text.trim() === '' ? '' : tag('p', content)
      },
      html ({ text }: Tokens.HTML | Tokens.Tag): string {
        if (/^<br>$/.test(text)) return text
        return /^\s*(<!--[^]*-->|<img\b[^>]*>)\s*$/.test(text) ? '' : html`${text}`.text
      },
      code ({ text }: Tokens.Code): string {
        return html`<div class="copied"><pre tabindex="0"><code>${text}</code></pre></div>
`.text
      },
      table ({ header, rows }: Tokens.Table): string {
        const content = ({ tokens }: Tokens.TableCell): Html =>
          new Html(this.parser.parseInline(tokens))
        const cell = (one: Tokens.TableCell, n: number): Html =>
          html`<td data-head="${header[n].text}">${content(one)}</td>`
        const heads = header.map((one) => html`<th scope="col">${content(one)}</th>`)
        const lines = rows.map((row) => html`<tr>${row.map(cell)}</tr>
`)
        return html`<div class="scroll" tabindex="0"><table>
<thead><tr>${heads}</tr></thead>
<tbody>
${lines}</tbody>
</table></div>
`.text
      }
    }
  })
  return new Html(marked.parse(text, { async: false }))
}

function tag (name: string, content: Html, attributes?: Html): string {
  const begin = attributes === undefined ? name : `${name} ${attributes.text}`
  return `<${begin}>${content.text}</${name}>${name === 'a' ? '' : '\n'}`
}
