const root = process.env.REACH_ROOT;
export default { output: 'standalone', outputFileTracingRoot: root, turbopack: { root } };
