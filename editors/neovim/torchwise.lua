-- Torchwise for Neovim 0.7 and newer: `dofile` this from your init.lua. It needs no plugin.
--
--   vim.g.torchwise_command   how to start the server, a list (default: { "torchwise", "server" })
--   vim.g.torchwise_settings  a table like { ignore = { "TW301" } }; a project's pyproject.toml says the same
--                             for all editors

local ROOTS = { "pyproject.toml", "torchwise.toml", "setup.py", ".git" }
local clients = {} -- by root

local function root_of(file)
  local folder = vim.fn.fnamemodify(file, ":p:h")
  local at, above = folder, nil
  while at ~= above do
    for _, name in ipairs(ROOTS) do
      if vim.loop.fs_stat(at .. "/" .. name) then
        return at
      end
    end
    at, above = vim.fn.fnamemodify(at, ":h"), at
  end
  return folder
end

local function start(root)
  local settings = vim.g.torchwise_settings or vim.empty_dict()
  return vim.lsp.start_client({
    name = "torchwise",
    cmd = vim.g.torchwise_command or { "torchwise", "server" },
    root_dir = root,
    workspace_folders = { { uri = vim.uri_from_fname(root), name = root } },
    settings = { torchwise = settings },
    init_options = settings,
    on_exit = function()
      clients[root] = nil
    end,
  })
end

vim.api.nvim_create_autocmd("FileType", {
  pattern = "python",
  callback = function(event)
    local root = root_of(vim.api.nvim_buf_get_name(event.buf))
    clients[root] = clients[root] or start(root)
    vim.lsp.buf_attach_client(event.buf, clients[root])
  end,
})
