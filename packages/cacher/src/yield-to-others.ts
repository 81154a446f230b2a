/** Lets other work on this thread run before going on. */
export function yieldToOthers(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}
