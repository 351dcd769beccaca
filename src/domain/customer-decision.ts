/** Answers of a customer to a prompt. */
export const decisions = ['approve', 'decline', 'ignore'] as const

/** Answer to a prompt. */
export type Decision = (typeof decisions)[number]
