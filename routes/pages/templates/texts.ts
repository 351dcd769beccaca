import { en, type TextForms, type TextName } from './texts-en.ts'
import { fr } from './texts-fr.ts'

/**
 * Texts that customers read, in both languages. `{name}` is the place of a value. A text with a
 * count has one form for each plural form of its language.
 */

export const languages = ['en', 'fr'] as const
export type Language = (typeof languages)[number]

export const texts: Record<Language, Record<TextName, string | TextForms>> = { en, fr }

/** Text with its values. A value that is a number is the count. */
export type Say = (name: TextName, values?: Record<string, string | number>) => string

export function createSay (language: Language): Say {
  const rules = new Intl.PluralRules(language)
  const formOf = (text: string | TextForms, values: object): string => {
    if (typeof text === 'string') return text
    const count = Object.values(values).find((value) => typeof value === 'number')
    return (count === undefined ? undefined : text[rules.select(count)]) ?? text.other
  }
  return (name, values = {}) =>
    formOf(texts[language][name], values).replace(/\{(\w+)\}/g, (hole, key: string) =>
      key in values ? String(values[key]) : hole
    )
}

export function isText (name: string): name is TextName {
  return Object.hasOwn(en, name)
}
