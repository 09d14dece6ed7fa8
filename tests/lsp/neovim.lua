-- Opens a file, waits for diagnostics, kills the server and opens the file again, chooses the preferred quick fix, and
-- prints what happened as JSON.
-- SNIPPET, SERVER (a JSON list) and REPORT are given in the environment.

vim.g.torchwise_command = vim.fn.json_decode(vim.env.SERVER)
dofile(vim.env.SNIPPET)

local function wait(what, condition)
  if not vim.wait(20000, condition, 20) then
    error("waited in vain for " .. what)
  end
end

local function preferred(items, _, choose)
  for _, item in ipairs(items) do
    local action = item[2] or item.action
    if action.isPreferred then
      return choose(item)
    end
  end
  error("no preferred action among " .. vim.inspect(items))
end

local function pid_of_server()
  local client = vim.lsp.get_active_clients()[1]
  return client and client.rpc.pid
end

-- Neovim starts no server again by itself: opening the file again does.
local function killed_and_back()
  local pid = pid_of_server()
  vim.loop.kill(pid, "sigkill")
  wait("the server to be gone", function()
    return pid_of_server() == nil
  end)
  vim.diagnostic.reset()
  vim.cmd("edit")
  wait("another server", function()
    return pid_of_server() ~= nil
  end)
  wait("diagnostics of the other server", function()
    return #vim.diagnostic.get(0) > 0
  end)
  return pid_of_server() ~= pid
end

local function run()
  local report = {}
  vim.cmd("filetype on")
  vim.cmd("edit " .. vim.fn.fnameescape(vim.env.FILE))
  wait("diagnostics", function()
    return #vim.diagnostic.get(0) > 0
  end)
  report.back = killed_and_back()
  local found = vim.diagnostic.get(0)[1]
  report.diagnostic = { row = found.lnum + 1, column = found.col + 1, message = found.message, source = found.source }
  local before = vim.api.nvim_buf_get_changedtick(0)
  vim.api.nvim_win_set_cursor(0, { found.lnum + 1, found.col })
  vim.ui.select = preferred
  vim.lsp.buf.code_action()
  wait("the fix", function()
    return vim.api.nvim_buf_get_changedtick(0) > before
  end)
  wait("the finding to go", function()
    return #vim.diagnostic.get(0) == 0
  end)
  vim.cmd("write")
  return report
end

local ok, result = pcall(run)
vim.fn.writefile({ vim.fn.json_encode({ ok = ok, result = result }) }, vim.env.REPORT)
vim.cmd("qall!")
