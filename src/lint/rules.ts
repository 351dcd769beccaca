import { conductRules } from './conduct-rules.ts'
import { formRules } from './form-rules.ts'
import type { Rule } from './rule.ts'

/**
 * The rules: what an application does that v2 refuses, or that the public documentation warns
 * about.
 */
export const rules: readonly Rule[] = [...formRules, ...conductRules]
