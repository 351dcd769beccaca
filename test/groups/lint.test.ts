import { runFolder } from './group.ts'

await runFolder('lint')
