import { marked, type Tokens } from 'marked'
import { html, type Html } from '../../src/lib/html.ts'
import { version } from '../../src/lib/package.ts'
import { assetPath } from '../pages/templates/asset-files.ts'
import { addressOf, filesOfFolder, firstPage, guideHome, readGuideFile } from './library.ts'
import { renderMarkdown, resolveLink } from './markdown.ts'
import { anchorOfPassage, search, type Passage } from './search.ts'

/** A group of pages, as the tables of the first page list them. */
interface Group {
  title: string
  pages: Array<{ path: string; label: string; question: string }>
}

let contents: Group[] | undefined

/** Reads the tables of the first page: a link and a question in each row. */
function readContents (): Group[] {
  const groups: Group[] = []
  for (const token of marked.lexer(readGuideFile(firstPage) ?? '')) {
    if (token.type === 'heading' && token.depth === 2) groups.push({ title: token.text, pages: [] })
    if (token.type !== 'table') continue
    for (const [{ tokens }, { text: question }] of (token as Tokens.Table).rows) {
      for (const link of tokens.filter(({ type }) => type === 'link') as Tokens.Link[]) {
        const address = resolveLink(link.href, firstPage)?.split('#')[0] ?? guideHome
        const path = address.slice(guideHome.length + 1)
        groups.at(-1)?.pages.push({ path, label: link.text, question })
      }
    }
  }
  return groups
}

/** The first page, or what is found on all pages. */
export function firstGuidePage (words: string): Html {
  if (words.trim() === '') return pageOf(firstPage, renderFile(firstPage) ?? html``)
  const pages = groups().flatMap(({ pages }) => pages.map(({ path }) => path))
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean)
  const found = search([...new Set(pages)], wanted)
  const count = `${found.length} ${found.length === 1 ? 'passage' : 'passages'}`
  const body = html`<h1>Search</h1>
<p role="status">${count} for “${words}”.</p>
${found.map((passage) => passageHtml(passage, wanted))}`
  return pageOf('', body, words)
}

/** Page of a file or of a folder; undefined if the guide does not have it. */
export function guidePage (path: string): Html | undefined {
  const body = renderFile(path) ?? renderFolder(path)
  return body === undefined ? undefined : pageOf(path, body)
}

function groups (): Group[] {
  return (contents ??= readContents())
}

function renderFile (path: string): Html | undefined {
  const text = readGuideFile(path)
  if (text === undefined) return undefined
  if (path.endsWith('.md')) return renderMarkdown(text, path)
  return html`<h1>${path}</h1>
<div class="copied"><pre tabindex="0"><code>${text}</code></pre></div>`
}

function renderFolder (path: string): Html | undefined {
  const files = filesOfFolder(path)
  if (files.length === 0) return undefined
  const items = files.map((file) => html`<li><a href="${addressOf(file)}">${file}</a></li>
`)
  return html`<h1>${path}</h1>
<ul>
${items}</ul>`
}

/** A passage with the words that were looked for. */
function passageHtml (passage: Passage, words: string[]): Html {
  const { page, title, heading, text } = passage
  const at = Math.max(0, text.toLowerCase().indexOf(words[0]) - 60)
  const end = at + 600
  const part = `${at > 0 ? '… ' : ''}${text.slice(at, end)}${text.length > end ? ' …' : ''}`
  const place = heading === '' ? title : `${title}: ${heading}`
  const address = `${addressOf(page)}${anchorOfPassage(passage)}`
  return html`<p class="found"><a href="${address}">${place}</a><br>
${markWords(part, words)}</p>
`
}

function markWords (text: string, words: string[]): Html[] {
  const pattern = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')
  return text
    .split(new RegExp(`(${pattern})`, 'gi'))
    .map((part, n) => (n % 2 === 1 ? html`<mark>${part}</mark>` : html`${part}`))
}

function pageOf (path: string, body: Html, words = ''): Html {
  const shown = groups().find(({ pages }) => pages.some((page) => page.path === path))
  const title = shown?.pages.find((page) => page.path === path)?.label
  const isFrench = path.startsWith('docs/fr/')
  return html`<!doctype html>
<html lang="${isFrench ? 'fr' : 'en'}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title === undefined ? '' : `${title} · `}momock guide</title>
<link rel="icon" type="image/svg+xml" href="${assetPath('icon.svg')}">
<link rel="stylesheet" href="${assetPath('reference.css')}">
<script src="${assetPath('reference.js')}" defer></script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header>
<p class="title"><a href="${guideHome}">momock guide</a> <small>${version}</small></p>
<p class="elsewhere"><a href="/__admin/ui">Dashboard</a> <a href="/__admin/docs">Reference</a></p>
</header>
<nav aria-label="Pages">
<form class="search" action="${guideHome}" role="search"><label for="search">Search</label>
<input id="search" name="search" type="search" value="${words}" autocomplete="off"
  placeholder="3rd payout fails …"></form>
<p id="found" class="unseen" role="status" data-what="pages"></p>
${groups().map((group) => sidebarGroup(group, path, group === (shown ?? groups()[0])))}</nav>
<main id="main" class="guide" tabindex="-1">
${body}
</main>
</body>
</html>
`
}

function sidebarGroup ({ title, pages }: Group, path: string, isOpen: boolean): Html {
  const items = pages.map((page) => {
    const current = page.path === path ? html`aria-current="page"` : undefined
    const words = `${page.label} ${page.question}`.toLowerCase()
    return html`<li data-words="${words}"><a
  href="${addressOf(page.path)}" ${current}>${page.label}</a></li>
`
  })
  return html`<details ${isOpen ? 'open' : ''}><summary>${title}</summary>
<ul>
${items}</ul></details>
`
}
