import { runFolder } from './group.ts'

await runFolder('admin')
