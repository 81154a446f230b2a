// Loaded into a measured server before its program: the signal collects garbage, so that what is left is what is kept. Needs --expose-gc.
process.on('SIGUSR2', () => {
  globalThis.gc()
  setTimeout(() => globalThis.gc(), 200)
})
