import { runFolder } from './group.ts'

await runFolder('security')
