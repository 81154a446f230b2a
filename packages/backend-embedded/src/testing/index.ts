export type { Durability, LoadedState, WriteBatch } from '../durability.ts'
export { openDurable } from '../open-embedded.ts'
export { HastyDisk, HeldDisk } from './held-disk.ts'
