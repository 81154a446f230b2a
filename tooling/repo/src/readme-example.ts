/** The first ```ts block of a README: the example that is run from the packed package. */
export function readmeExample(markdown: string): string | undefined {
  return /^```ts\n([\s\S]*?)^```/m.exec(markdown)?.[1]
}
