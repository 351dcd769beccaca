import { failWrites } from './disk.ts'
import { misbehave, resetDuringAdvance } from './receivers.ts'
import { newSetting, type Setting } from './setting.ts'
import { jumpClock, runOutOfDescriptors } from './system.ts'

/** A fault, and what is wrong with how the server took it; or why it cannot be caused here. */
export interface FaultResult {
  fault: string
  problems: string[]
  skipped?: string
}

type Cause = (setting: Setting) => Promise<string | undefined>

export const faults: Record<string, Cause> = {
  'a full disk': (setting) => failWrites(setting, 'full'),
  'a ledger that cannot be written': (setting) => failWrites(setting, 'readonly'),
  'no file descriptors': runOutOfDescriptors,
  'a receiver that hangs': (setting) => misbehave(setting, 'hang'),
  'a receiver that resets connections': (setting) => misbehave(setting, 'reset'),
  'a receiver whose answer never ends': (setting) => misbehave(setting, 'endless'),
  'a receiver that refuses': (setting) => misbehave(setting, 'refuse'),
  'a reset while an advance waits': resetDuringAdvance,
  'a clock that jumps': jumpClock
}

/** Those that `npm test` causes: one of each sort. */
export const shortList = [
  'a full disk',
  'no file descriptors',
  'a receiver that hangs',
  'a reset while an advance waits',
  'a clock that jumps'
]

export async function causeFault (fault: string): Promise<FaultResult> {
  const setting = await newSetting()
  const { problems } = setting
  try {
    const skipped = await faults[fault](setting)
    return { fault, problems, ...(skipped !== undefined && { skipped }) }
  } catch (error) {
    return { fault, problems: [...problems, String(error)] }
  } finally {
    await setting.close()
  }
}
