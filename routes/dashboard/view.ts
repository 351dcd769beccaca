import type { Static, TSchema } from '@sinclair/typebox'
import { Html } from '../../src/lib/html.ts'
import { createValidator } from '../../src/lib/validator.ts'
import type { Fields } from './actions.ts'
import type { AdminCall } from './admin-call.ts'
import type { Visit } from './visit.ts'

/** A page of the dashboard: an admin call and its template. Adding a page means adding a row. */
interface ViewOf<Body extends TSchema> {
  path: string
  tab: string
  /** Its form can be sent to the same path, to see what follows from it. */
  hasPreview?: boolean
  /** Its call reads the whole account, so the page does not follow changes. */
  isSlow?: boolean
  /** Title in place of an error, if there is nothing to show yet. */
  emptyTitle?: string
  /** Schema of the answer of the call. */
  answer: Body
  title: (body: Static<Body>) => string
  call: (params: Fields, visit: Visit) => AdminCall
  render: (visit: Visit, body: Static<Body>, params: Fields) => Promise<Html | PageParts>
}

/** Content of a page, and what stands beside its title. */
export interface PageParts {
  tools?: Html
  body: Html
}

/** A page as the routes use it: its content follows from the answer of its call. */
export interface View extends Pick<
  ViewOf<TSchema>,
  'path' | 'tab' | 'hasPreview' | 'isSlow' | 'emptyTitle' | 'call'
> {
  show: (visit: Visit, body: unknown, params: Fields) => Promise<{ title: string } & PageParts>
}

/** Makes a view, whose functions are typed by the schema of the answer. */
export function view<Body extends TSchema> (row: ViewOf<Body>): View {
  const { path, tab, hasPreview, isSlow, emptyTitle, answer, call } = row
  const validator = createValidator(answer)
  return {
    path,
    tab,
    hasPreview,
    isSlow,
    emptyTitle,
    call,
    show: async (visit, body, params) => {
      if (!validator.check(body)) throw new Error(`${path}: ${validator.first(body)?.message}`)
      const rendered = await row.render(visit, body, params)
      const parts = rendered instanceof Html ? { body: rendered } : rendered
      return { title: row.title(body), ...parts }
    }
  }
}
