/** Limits of JSON texts, checked before they are parsed. */

/** Deepest nesting of lists and objects in JSON that is accepted. */
export const maxDepth = 64

/** Most fields of all objects together. A request of 60,000 fields took 2 s to refuse. */
export const maxFields = 5000

/** Length up to which a text cannot have too many fields: each has five characters or more. */
export const safeLength = maxFields * '"":1,'.length

/** Tells whether a JSON text has too many fields. */
export function hasTooManyFields (text: string): boolean {
  return text.length > safeLength && countFields(text) > maxFields
}

/** Counts the colons outside of strings, up to the first that is one too many. */
function countFields (text: string): number {
  let count = 0
  for (let at = 0; at < text.length && count <= maxFields; at++) {
    if (text[at] === '"') at = endOfString(text, at)
    else if (text[at] === ':') count++
  }
  return count
}

/**
 * Tells whether a JSON text is nested too deeply: recursive code, such as JSON.stringify, would
 * overflow the stack.
 */
export function isTooDeep (text: string): boolean {
  return measureDepth(text) > maxDepth
}

/** Depth of the brackets outside of strings, up to the first that is one too many. */
function measureDepth (text: string): number {
  let depth = 0
  let deepest = 0
  for (let at = 0; at < text.length && deepest <= maxDepth; at++) {
    const letter = text[at]
    if (letter === '"') at = endOfString(text, at)
    else if (letter === '{' || letter === '[') deepest = Math.max(deepest, ++depth)
    else if (letter === '}' || letter === ']') depth--
  }
  return deepest
}

function endOfString (text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at
}
