import type { Field, QueryResult, Value } from './messages.ts'

/**
 * Results as two values: a message between threads costs time for each value that it contains, and
 * a batch of status checks has hundreds.
 */
export interface PackedResults {
  /** All values one after the other. */
  text: string
  /**
   * For each result the number of changes, of its list of columns and of its rows, and then the
   * length of each value; -1 for null.
   */
  lengths: Int32Array
  /** Lists of columns that the reader does not know yet, by their numbers. */
  newFields: Array<[number: number, fields: Field[]]>
}

/** Packs results. It tells the reader each list of columns once. */
export class ResultPacker {
  /** Numbers of lists of columns by their content. */
  readonly #numbers = new Map<string, number>()

  pack (results: readonly QueryResult[]): PackedResults {
    const newFields: PackedResults['newFields'] = []
    const texts: string[] = []
    const lengths: number[] = []
    for (const { changes, fields, rows } of results) {
      lengths.push(changes, this.#numberFields(fields, newFields), rows.length)
      for (const row of rows) {
        for (const value of row) {
          if (value === null) lengths.push(-1)
          else {
            const text = String(value)
            texts.push(text)
            lengths.push(text.length)
          }
        }
      }
    }
    return { text: texts.join(''), lengths: Int32Array.from(lengths), newFields }
  }

  #numberFields (fields: Field[], newFields: PackedResults['newFields']): number {
    let content = ''
    for (const { name, type } of fields) content += `${name} ${type},`
    let number = this.#numbers.get(content)
    if (number === undefined) {
      number = this.#numbers.size
      this.#numbers.set(content, number)
      newFields.push([number, fields])
    }
    return number
  }
}

/** Reads the results of one packer. */
export class ResultReader {
  readonly #fields = new Map<number, Field[]>()

  /** Learns new lists of columns. It must see all results, also those that nobody reads. */
  learn ({ newFields }: PackedResults): void {
    for (const [number, fields] of newFields) this.#fields.set(number, fields)
  }

  read ({ text, lengths }: PackedResults): QueryResult[] {
    const results: QueryResult[] = []
    let start = 0
    for (let i = 0; i < lengths.length;) {
      const [changes, number, rowCount] = [lengths[i++], lengths[i++], lengths[i++]]
      const fields = this.#fields.get(number) ?? []
      const rows: Value[][] = []
      for (let n = 0; n < rowCount; n++) {
        const row: Value[] = []
        for (let column = 0; column < fields.length; column++) {
          const length = lengths[i++]
          if (length < 0) row.push(null)
          else row.push(text.slice(start, (start += length)))
        }
        rows.push(row)
      }
      results.push({ changes, fields, rows })
    }
    return results
  }
}
