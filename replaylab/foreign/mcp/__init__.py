"""The tools of an environment over MCP, on stdio and on loopback HTTP. Needs the extra `mcp`."""
