/** What this package uses of it; it comes without types. */
declare module 'fs-native-extensions' {
  export interface FileLocks {
    /** Locks a range of bytes of an open file for itself. False when another open file has it. */
    tryLock(handle: number, offset: number, length: number): boolean
  }
  const locks: FileLocks
  export default locks
}
