export const installDefaults = { minRequestTimeoutSeconds: 1800, maxRequestBodyBytes: 3_145_728 } as const
