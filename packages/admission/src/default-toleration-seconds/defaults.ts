export const defaultTolerations = { notReadySeconds: 300, unreachableSeconds: 300 } as const
