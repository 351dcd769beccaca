import { conductRules } from './conduct-rules.ts'
import { formRules } from './form-rules.ts'
import type { Rule } from './rule.ts'

/** All rules: about requests that v2 refuses, and about warnings of the public documentation. */
export const rules: readonly Rule[] = [...formRules, ...conductRules]
