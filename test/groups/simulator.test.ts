import { runFolder } from './group.ts'

await runFolder('simulator')
