module example.com/rules

go 1.25
