/** The part of negotiator that this project uses: it has no types of its own. */
declare module 'negotiator' {
  export default class Negotiator {
    constructor (request: { headers: Record<string, string | string[] | undefined> })

    /** The type that the client wants most, of some; undefined if it wants none of them. */
    mediaType (available: readonly string[]): string | undefined
    /** The language that the client wants most, of some. */
    language (available: readonly string[]): string | undefined
  }
}
